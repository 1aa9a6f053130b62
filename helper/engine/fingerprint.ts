/** One text that changes whenever the CUDA or Vulkan part of a snapshot may have changed. Costs a few file look-ups, no driver call. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { DeviceSnapshot } from '../protocol/devices';
import { type Env, watchedDriverFiles } from './driver-files';

/** Variables that a loader, a driver or a container runtime reads. */
const DECISIVE =
  /^(CUDA_|NVIDIA_|__NV|__GLX|__EGL|NV_|VK_|MESA_|GALLIUM_|LP_|LIBGL|DRI_|LD_|XDG_(CONFIG|DATA)_|HOME$|DISPLAY$|WAYLAND_DISPLAY$|(EN|DIS)ABLE_|NODEVICE_SELECT)/;

export function fingerprint(env: Env, nvml: DeviceSnapshot['nvml']): string {
  const facts = {
    variables: Object.entries(env)
      .filter(([name]) => DECISIVE.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    files: watchedDriverFiles(env).map(describeFile),
    nodes: deviceNodes(),
    nvml: nvmlSet(nvml),
  };
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

/** Files under /proc have no meaningful times: their text counts. */
function describeFile(file: string): string {
  if (file.startsWith('/proc/')) return `${file} ${readText(file)}`;
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${file} ${stat.mtimeMs} ${stat.size}` : `${file} absent`;
}

function deviceNodes(): string[] {
  const names = (folder: string, wanted: RegExp) => {
    try {
      return readdirSync(folder).filter((name) => wanted.test(name));
    } catch {
      return [];
    }
  };
  return [...names('/dev', /^(nvidia|dxg|kfd)/), ...names('/dev/dri', /./), ...names('/dev/nvidia-caps', /./)];
}

/** Which GPUs and MIG instances exist; what they are busy with does not matter. */
function nvmlSet(nvml: DeviceSnapshot['nvml']): unknown {
  return {
    available: nvml.available,
    reason: nvml.reason?.code,
    gpus: nvml.gpus.map(({ uuid, mig, instances }) => ({ uuid, current: mig.current, instances: instances.map((instance) => instance.uuid) })),
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return 'absent';
  }
}
