import * as vscode from 'vscode';
import type { PanelControl } from '../../../helper/protocol/webview';
import { Command } from '../contributions/ids';
import type { Previews } from './previews';

/** Commands that do what a control of the panel does. */
const controls: [command: string, control: PanelControl, value?: string][] = [
  [Command.PausePreview, 'pause'],
  [Command.StepPreview, 'step'],
  [Command.SaveFrame, 'save'],
  [Command.CopyPicture, 'copyPicture'],
  [Command.RecordFrames, 'record'],
  [Command.CopyTexel, 'copyValue'],
  [Command.FitRange, 'fitRange'],
  [Command.PinReference, 'togglePin'],
  [Command.ShowDifference, 'compare', 'difference'],
  [Command.ShowSwipe, 'compare', 'swipe'],
  [Command.ToggleInspector, 'inspector'],
];

/** They work on the preview that has the focus, else on the only one. */
export function registerPreviewCommands(previews: Previews): vscode.Disposable {
  const perform = async (control: PanelControl, value?: string) => {
    const { panels } = previews;
    const preview = panels.find(({ panel }) => panel.active) ?? (panels.length === 1 ? panels[0] : undefined);
    if (preview) await preview.perform(control, value);
    else void vscode.window.showInformationMessage('No preview has the focus: click into one, or open one first.');
  };
  return vscode.Disposable.from(...controls.map(([command, ...args]) => vscode.commands.registerCommand(command, () => perform(...args))));
}
