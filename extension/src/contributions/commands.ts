import { Command, type CommandId, Panel } from './ids';

export interface CommandContribution {
  title: string;
  icon?: string;
  /** False for commands that need a tree row and so make no sense in the palette; a text is the condition under which they do. */
  palette: boolean | string;
}

/** The preview that has the focus is meant. */
const inPreview = `activeWebviewPanelId == '${Panel.Preview}'`;

export const commands: Record<CommandId, CommandContribution> = {
  [Command.OpenPreview]: { title: 'Open Preview', icon: '$(open-preview)', palette: true },
  [Command.WatchFiles]: { title: 'Watch Image Files in Preview…', palette: true },
  [Command.PausePreview]: { title: 'Pause or Resume Preview', palette: inPreview },
  [Command.StepPreview]: { title: 'Show Next Frame of Preview', palette: inPreview },
  [Command.SaveFrame]: { title: 'Save Frame of Preview…', icon: '$(save)', palette: inPreview },
  [Command.CopyPicture]: { title: 'Copy Picture of Preview', icon: '$(copy)', palette: inPreview },
  [Command.RecordFrames]: { title: 'Record Frames of Preview, or Stop…', palette: inPreview },
  [Command.CopyTexel]: { title: 'Copy Value of Texel', palette: inPreview },
  [Command.FitRange]: { title: 'Fit Range of Preview to Frame', palette: inPreview },
  [Command.PinReference]: { title: 'Pin or Unpin Reference of Preview', palette: inPreview },
  [Command.ShowDifference]: { title: 'Show Difference from Reference', palette: inPreview },
  [Command.ShowSwipe]: { title: 'Show Swipe between Reference and Frame', palette: inPreview },
  [Command.ToggleInspector]: { title: 'Show or Hide Inspector of Preview', palette: inPreview },
  [Command.AddPublisher]: { title: 'Add Publisher to Project…', palette: true },
  [Command.ShowDevices]: { title: 'Show Devices', icon: '$(table)', palette: true },
  [Command.ShowDevice]: { title: 'Show Device', icon: '$(go-to-file)', palette: false },
  [Command.RefreshDevices]: { title: 'Refresh Devices', icon: '$(refresh)', palette: true },
  [Command.CopyUuid]: { title: 'Copy UUID', icon: '$(copy)', palette: false },
  [Command.CopyVisibleDevices]: { title: 'Copy CUDA_VISIBLE_DEVICES Line', icon: '$(terminal)', palette: false },
  [Command.RunSeamTest]: { title: 'Run Seam Test…', icon: '$(beaker)', palette: true },
  [Command.ShowSeamReport]: { title: 'Show Last Seam Test Report', palette: true },
  [Command.ExportSeamReport]: { title: 'Export Seam Test Report…', palette: true },
  [Command.OpenSeamWords]: { title: 'Explain Words of Seam Test', palette: true },
  [Command.RunDoctor]: { title: 'Run Doctor', icon: '$(pulse)', palette: true },
  [Command.OpenDoctorPage]: { title: 'Explain Checks of Doctor', icon: '$(book)', palette: true },
  [Command.CopyFix]: { title: 'Copy Command', icon: '$(copy)', palette: false },
  [Command.TypeFix]: { title: 'Put Command into Terminal', icon: '$(terminal)', palette: false },
  [Command.RestartHelpers]: { title: 'Restart Helpers', icon: '$(debug-restart)', palette: true },
  [Command.ShowLog]: { title: 'Show Log', icon: '$(output)', palette: true },
  [Command.CopyReport]: { title: 'Copy Report', icon: '$(clippy)', palette: true },
  [Command.OpenRule]: { title: 'Show Lint Rules', palette: true },
  [Command.CheckWorkspace]: { title: 'Check Workspace', icon: '$(checklist)', palette: true },
};
