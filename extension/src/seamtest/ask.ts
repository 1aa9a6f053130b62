import * as vscode from 'vscode';
import type { DeviceSnapshot } from '../../../helper/protocol/devices';
import type { SeamSettings } from '../../../helper/protocol/seamtest';
import { type Choice, deviceChoices, extents, type Part, parts, settingsFor } from './choices';
import type { SeamRequest } from './seam-tests';

const TITLE = 'Seam Test';

/** Asks for device and extent. Undefined: the user went away. */
export async function askForRequest(snapshot: DeviceSnapshot, device?: string): Promise<SeamRequest | undefined> {
  const chosen = device === undefined ? await askForDevice(snapshot) : { device };
  if (!chosen) return undefined;
  const settings = await askForSettings();
  return settings && { settings, ...chosen };
}

async function askForDevice(snapshot: DeviceSnapshot): Promise<{ device?: string } | undefined> {
  const choices = deviceChoices(snapshot);
  if (choices.length === 0) return {};
  const choice = await pick(choices, 'Which device?');
  return choice && (choice.value === undefined ? {} : { device: choice.value });
}

async function askForSettings(): Promise<SeamSettings | undefined> {
  const extent = await pick(extents, 'How much is to be measured?');
  if (extent?.value === 'choose') return askForParts();
  return extent && (extent.value === 'quick' ? { quick: true } : {});
}

async function askForParts(): Promise<SeamSettings | undefined> {
  for (let placeHolder = 'What is to be measured?'; ; ) {
    const items = parts.map((part) => ({ ...part, picked: true }));
    const ticked = await vscode.window.showQuickPick<Choice<Part> & vscode.QuickPickItem>(items, { title: TITLE, placeHolder, canPickMany: true });
    if (!ticked) return undefined;
    const settings = settingsFor(ticked.map(({ value }) => value));
    if (!('missing' in settings)) return settings;
    placeHolder = settings.missing;
  }
}

function pick<T>(items: Choice<T>[], placeHolder: string): Thenable<Choice<T> | undefined> {
  return vscode.window.showQuickPick(items, { title: TITLE, placeHolder });
}
