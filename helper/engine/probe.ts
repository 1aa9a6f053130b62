/**
 * The short-lived child that enumerates the drivers: CUDA enumerates once per process and Vulkan loaders cache, and a driver may crash or hang.
 * Argument: the addon's path. Writes DeviceSnapshot JSON to fd 3, so that whatever drivers print stays apart; closing fd 3 ends the answer.
 */
import { closeSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { loadAddon } from './addon-loader';
import { PROBE_RESULT_FD } from './probe-runner';

try {
  const { addon } = loadAddon([process.argv[2] ?? '']);
  writeFileSync(PROBE_RESULT_FD, addon.probe());
  closeSync(PROBE_RESULT_FD);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
