/** Which physical GPU or MIG instance an entry of CUDA_VISIBLE_DEVICES names. */
import type { VisibleEntry } from '../../protocol/device-routing';
import type { DeviceSnapshot, MigInstance, NvmlGpu } from '../../protocol/devices';

export interface Named {
  /** Tells whether two entries name the same device. */
  key?: string;
  gpuIndex?: number;
  migIndex?: number;
}

export type Naming = Named | { fault: string } | { unknown: string };

export function namedBy(text: string, kind: VisibleEntry['kind'], { nvml, cuda }: DeviceSnapshot): Naming {
  // Which device an index is depends on CUDA's own order; NVML's has nothing to do with it.
  if (kind === 'index') return byIndex(Number(text), nvml, cuda.available);
  if (!nvml.available) return cuda.available ? {} : { unknown: 'NVML cannot be asked, so it is not known what this names.' };
  if (kind === 'gpu-uuid') return byGpu(text.toLowerCase(), nvml.gpus);
  return byInstance(text, kind, nvml.gpus);
}

/** CUDA counts whole GPUs and, of each GPU instance, one compute instance. */
function unitCount(gpus: NvmlGpu[]): number {
  const units = (gpu: NvmlGpu) => (gpu.mig.current ? new Set(gpu.instances.map(({ gpuInstanceId }) => gpuInstanceId)).size : 1);
  return gpus.reduce((sum, gpu) => sum + units(gpu), 0);
}

function byIndex(index: number, nvml: DeviceSnapshot['nvml'], cudaAvailable: boolean): Naming {
  if (!nvml.available)
    return cudaAvailable ? { key: `index ${index}` } : { unknown: 'NVML cannot be asked, so it is not known how many devices there are.' };
  const units = unitCount(nvml.gpus);
  if (index >= units) return { fault: `There ${units === 1 ? 'is 1 device' : `are ${units} devices`}, so index ${index} names none.` };
  return { key: `index ${index}` };
}

function byGpu(text: string, gpus: NvmlGpu[]): Naming {
  const found = gpus.filter(({ uuid }) => uuid !== '' && `gpu-${uuid}`.startsWith(text));
  if (found.length > 1) return { fault: `The short form fits ${found.length} GPUs.` };
  const [gpu] = found;
  if (!gpu) return { fault: 'No GPU has this UUID.' };
  if (gpu.mig.current) return { fault: `GPU ${gpu.index} is in MIG mode: its instances have UUIDs of their own.` };
  return { key: gpu.uuid, gpuIndex: gpu.index };
}

function byInstance(text: string, kind: VisibleEntry['kind'], gpus: NvmlGpu[]): Naming {
  for (const gpu of gpus) {
    const instance = gpu.instances.find((each) => names(text, kind, each));
    if (instance) return { key: instance.nvmlUuid, gpuIndex: gpu.index, migIndex: instance.index };
  }
  const short = gpus.some(({ instances }) => instances.some(({ nvmlUuid }) => nvmlUuid.startsWith(text)));
  return { fault: short ? 'A MIG UUID cannot be shortened.' : 'No MIG instance has this UUID.' };
}

/** `MIG-<gpu>/gi/ci` of older guides is `MIG-GPU-<gpu>/gi/ci` of older drivers. */
function names(text: string, kind: VisibleEntry['kind'], { nvmlUuid, legacyUuid }: MigInstance): boolean {
  const written = text.toLowerCase();
  if (kind === 'mig-uuid') return written === nvmlUuid.toLowerCase();
  return written.replace(/^mig-(gpu-)?/, 'mig-gpu-') === (legacyUuid ?? nvmlUuid).toLowerCase();
}
