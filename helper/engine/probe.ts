/**
 * The short-lived child that enumerates the drivers: CUDA enumerates once per process and Vulkan loaders cache, and a driver may crash or hang.
 * Arguments: the addon's path, and perhaps --without-cuda. Writes DeviceSnapshot JSON to fd 3, so that whatever drivers print stays apart; closing fd 3 ends the answer.
 */
import { closeSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { loadAddon } from './addon-loader';
import { PROBE_RESULT_FD, WITHOUT_CUDA } from './probe-runner';

try {
  const { addon } = loadAddon([process.argv[2] ?? '']);
  writeFileSync(PROBE_RESULT_FD, addon.probe(process.argv[3] !== WITHOUT_CUDA));
  closeSync(PROBE_RESULT_FD);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
