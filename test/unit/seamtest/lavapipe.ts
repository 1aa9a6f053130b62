/** What the tests of the seam test need to know about this machine. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DeviceSnapshot } from '../../../helper/protocol/devices';

/** The UUID of lavapipe, through the addon; null when there is none, or when the addon has no seam test. */
export function lavapipeUuid(addon: string): string | null {
  const script = `const addon = require(${JSON.stringify(addon)}); if (addon.seamtest) console.log(addon.probe())`;
  const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 60_000 });
  try {
    const { vulkan } = JSON.parse(stdout) as DeviceSnapshot;
    return vulkan.devices.find(({ type }) => type === 'cpu')?.deviceUuid ?? null;
  } catch {
    return null;
  }
}

/** The folder of the stand-in drivers that `npm test` built, without sanitizers. */
export function doublesOf(root: string): string | null {
  const folder = process.env.SEAMSCOPE_DOUBLES_DIR ?? path.join(root, 'build/native-tests/doubles/driver');
  const library = path.join(folder, 'libcuda.so.1');
  // One that was built before it could share memory does not count.
  return existsSync(library) && readFileSync(library).includes('cuImportExternalMemory') ? folder : null;
}
