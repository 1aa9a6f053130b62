import { Command, type CommandId } from './ids';

export interface CommandContribution {
  title: string;
  icon?: string;
  /** False for commands that need a tree row and so make no sense in the palette. */
  palette: boolean;
}

export const commands: Record<CommandId, CommandContribution> = {
  [Command.OpenPreview]: { title: 'Open Preview', icon: '$(open-preview)', palette: true },
  [Command.ShowDevices]: { title: 'Show Devices', palette: true },
  [Command.RefreshDevices]: { title: 'Refresh Devices', icon: '$(refresh)', palette: true },
  [Command.CopyUuid]: { title: 'Copy UUID', icon: '$(copy)', palette: false },
  [Command.CopyVisibleDevices]: { title: 'Copy CUDA_VISIBLE_DEVICES Line', icon: '$(terminal)', palette: false },
  [Command.RestartHelpers]: { title: 'Restart Helpers', icon: '$(debug-restart)', palette: true },
  [Command.ShowLog]: { title: 'Show Log', icon: '$(output)', palette: true },
  [Command.CopyReport]: { title: 'Copy Report', icon: '$(clippy)', palette: true },
  [Command.OpenRule]: { title: 'Show Lint Rules', palette: true },
};
