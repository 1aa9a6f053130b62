import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { Command } from '../../../../extension/src/contributions/ids';

/** What the native tests build; this suite lies in build/workbench/suite. */
const folder = process.env.SEAMSCOPE_DOUBLES_DIR ?? path.resolve(__dirname, '../../native-tests/doubles/driver');

/** Whether the stand-in drivers have been built. */
export const hasDoubles = existsSync(path.join(folder, 'libcuda.so.1'));

/** The engine and what it starts see a CUDA device with this UUID, on stand-in drivers, until the function that comes back is called. */
export async function useCudaDouble(uuid: string): Promise<() => Promise<void>> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'seamscope-doubles-'));
  const machine = path.join(home, 'machine.json');
  writeFileSync(machine, JSON.stringify({ gpus: [{ name: 'Stand-in', uuid }] }));
  await useEngineEnvironment({ LD_LIBRARY_PATH: folder, SEAMSCOPE_DOUBLES: machine });
  return async () => {
    await useEngineEnvironment(undefined);
    rmSync(home, { recursive: true, force: true });
  };
}

export async function useEngineEnvironment(environment: Record<string, string> | undefined): Promise<void> {
  await vscode.workspace.getConfiguration('seamscope').update('engine.environment', environment, vscode.ConfigurationTarget.Global);
  await vscode.commands.executeCommand(Command.RestartHelpers);
}
