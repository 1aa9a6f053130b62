import * as vscode from 'vscode';
import { Command, View } from '../contributions/ids';
import type { DeviceNode } from './node';
import type { DeviceWatcher } from './watcher';

export function registerDeviceCommands(watcher: DeviceWatcher): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(Command.RefreshDevices, () =>
      vscode.window.withProgress({ location: { viewId: View.Devices } }, () => watcher.refresh({ again: true })),
    ),
    vscode.commands.registerCommand(Command.CopyUuid, (node?: DeviceNode) => copy(node?.uuid)),
    vscode.commands.registerCommand(Command.CopyVisibleDevices, (node?: DeviceNode) =>
      copy(node?.visibleDevices && `CUDA_VISIBLE_DEVICES=${node.visibleDevices}`),
    ),
  );
}

async function copy(text: string | undefined): Promise<void> {
  if (!text) return;
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(`$(check) Copied ${text}`, 3000);
}
