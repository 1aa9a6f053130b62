import * as vscode from 'vscode';
import { type SettingId, type SettingValue, settings } from './contributions/settings';

/** A setting by its full id, typed by its default. */
export function setting<Id extends SettingId>(id: Id): SettingValue<Id> {
  return vscode.workspace.getConfiguration().get(id, settings[id].default as SettingValue<Id>);
}

/** Settings that differ from their defaults, for the report. */
export function changedSettings(): Record<string, unknown> {
  const all = (Object.keys(settings) as SettingId[]).map((id) => [id, setting(id)] as const);
  return Object.fromEntries(all.filter(([id, value]) => JSON.stringify(value) !== JSON.stringify(settings[id].default)));
}

export function onSettingChanged(id: SettingId, listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(id) && listener());
}
