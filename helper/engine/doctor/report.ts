/** The `doctor` request: takes the snapshot of an environment and runs every check over it. */
import type { DoctorReport } from '../../protocol/doctor';
import type { LoadedAddon } from '../addon-loader';
import { type DeviceService, layEnvironment } from '../device-service';
import type { UserError } from '../user-error';
import { ENGINE_VERSION } from '../version';
import { diagnose } from './doctor';
import { readSystemFacts } from './system-facts';

export async function doctorReport(
  devices: DeviceService,
  loaded: LoadedAddon | UserError,
  overrides: Record<string, string | null>,
): Promise<DoctorReport> {
  const env = layEnvironment(process.env, overrides);
  const snapshot = await devices.snapshot({ env: overrides, refresh: true });
  const addon =
    loaded instanceof Error
      ? { addonPath: '', addonProblem: { message: loaded.message, nextStep: loaded.nextStep } }
      : { addonPath: loaded.path, ...(loaded.stale && { addonStale: loaded.stale }) };
  return diagnose({ engine: { version: ENGINE_VERSION, ...addon }, snapshot, env, system: readSystemFacts(env) });
}
