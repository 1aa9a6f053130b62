import * as vscode from 'vscode';
import { View } from './contributions/ids';
import { summary } from './devices/tree';
import type { DeviceWatcher } from './devices/watcher';

/** One short item: how many GPUs there are, as far as anybody has looked. */
export function createStatusBarItem(watcher: DeviceWatcher): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('seamscope.devices', vscode.StatusBarAlignment.Left, 0);
  item.name = 'Seamscope';
  item.command = `${View.Devices}.focus`;
  const update = () => Object.assign(item, content(watcher));
  update();
  item.show();
  return vscode.Disposable.from(item, watcher.onDidChange(update));
}

function content({ snapshot, failure }: DeviceWatcher): { text: string; tooltip: string; accessibilityInformation: { label: string } } {
  const [icon, text, tooltip] = failure
    ? ['warning', 'GPU engine', `Seamscope: ${failure.message}`]
    : snapshot
      ? ['circuit-board', summary(snapshot), 'Seamscope: show devices']
      : ['circuit-board', 'GPUs', 'Seamscope: show devices'];
  return { text: `$(${icon}) ${text}`, tooltip, accessibilityInformation: { label: `${text}. ${tooltip}` } };
}
