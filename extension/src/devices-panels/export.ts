import * as vscode from 'vscode';
import { deviceName, deviceWith } from '../../../helper/protocol/device-parts';
import type { DeviceSnapshot } from '../../../helper/protocol/devices';

/** Writes what is known of a device, or of all, to a file that the user chooses. Null: cancelled. */
export async function exportDevices(snapshot: DeviceSnapshot | undefined, device: string | null): Promise<{ file: string } | null> {
  const { name, text } = exported(snapshot, device);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: 'Export Devices as JSON',
    filters: { JSON: ['json'] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
  if (!target) return null;
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  return { file: target.fsPath };
}

/** The file's name and text. Throws when there is nothing to write. */
export function exported(snapshot: DeviceSnapshot | undefined, device: string | null): { name: string; text: string } {
  if (!snapshot) throw new Error('No devices have been read yet.');
  if (device === null) return { name: 'devices.json', text: json(snapshot) };
  const parts = deviceWith(snapshot, device);
  if (!parts) throw new Error('This device is not listed any more.');
  const { takenAt, environment } = snapshot;
  const drivers = { vulkan: snapshot.vulkan.instanceVersion, cuda: snapshot.cuda.driverVersion, nvml: snapshot.nvml.driverVersion };
  const name = `${deviceName(parts)}.json`.replace(/[^\w.+-]+/g, '-');
  return { name, text: json({ version: 1, takenAt, drivers, environment, device: parts }) };
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
