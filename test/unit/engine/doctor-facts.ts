/** Facts for the doctor's tests: a sound machine with one H200, of which each test breaks one thing. */
import type { DoctorFacts } from '../../../helper/engine/doctor/facts';
import { explained } from '../../../helper/engine/routing/explained';
import type { DeviceSnapshot } from '../../../helper/protocol/devices';
import { matched } from '../cli/fixtures';

/** In no container, with every variable unset. */
export const sound: DeviceSnapshot = {
  ...matched,
  environment: { ...matched.environment, variables: {}, container: false, kernelDriverVersion: '580.159.04' },
};

export interface Change {
  snapshot?: Partial<DeviceSnapshot>;
  env?: Record<string, string>;
  system?: Partial<DoctorFacts['system']>;
}

export function factsWith({ snapshot = {}, env = {}, system = {} }: Change = {}): DoctorFacts {
  const whole = { ...sound, ...snapshot };
  const variables = { ...whole.environment.variables, ...env };
  return {
    engine: { version: '0.1.0', addonPath: '/x/seamscope.node' },
    snapshot: explained({ ...whole, environment: { ...whole.environment, variables } }, []),
    env,
    system: {
      platform: 'linux',
      preloadFile: [],
      descriptors: { soft: 1024, hard: 1048576 },
      nodes: ['/dev/nvidia0', '/dev/nvidiactl', '/dev/nvidia-uvm'].map((path) => ({ path, usable: true })),
      kernelGpus: ['0000:19:00.0'],
      migNodes: [],
      layers: [],
      ...system,
    },
  };
}
