import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

export interface Machine {
  /** Becomes a recorded layout, with changes. The drivers see it without a restart; a call that hangs only with one. */
  become(layout: string, changes?: object): void;
  /** The engine has this machine's real drivers again. */
  stop(): Promise<void>;
}

/** The engine sees a machine of test/fixtures/devices on stand-in drivers, and the Vulkan loader no driver but theirs. */
export async function useMachine(layout: string): Promise<Machine> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'seamscope-machine-'));
  const machine = path.join(home, 'machine.json');
  const manifest = path.join(home, 'icd.json');
  const become = (name: string, changes: object = {}) => {
    const { machine: described } = JSON.parse(readFileSync(path.resolve(__dirname, `../../../test/fixtures/devices/${name}.json`), 'utf8'));
    // By rename: a driver that reads meanwhile reads the one or the other.
    writeFileSync(`${machine}.new`, JSON.stringify({ ...described, ...changes }));
    renameSync(`${machine}.new`, machine);
  };
  become(layout);
  const library = path.join(folder, 'libseamscope_vulkan.so.1');
  writeFileSync(manifest, JSON.stringify({ file_format_version: '1.0.0', ICD: { library_path: library, api_version: '1.3.280' } }));
  const loader = { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest, VK_LOADER_DISABLE_SELECT: '1' };
  await useEngineEnvironment({ LD_LIBRARY_PATH: folder, SEAMSCOPE_DOUBLES: machine, ...loader });
  const stop = async () => {
    await useEngineEnvironment(undefined);
    rmSync(home, { recursive: true, force: true });
  };
  return { become, stop };
}

export async function useEngineEnvironment(environment: Record<string, string> | undefined): Promise<void> {
  await vscode.workspace.getConfiguration('seamscope').update('engine.environment', environment, vscode.ConfigurationTarget.Global);
  await vscode.commands.executeCommand(Command.RestartHelpers);
}
