import type { DeviceSnapshot, Reason } from '../../../helper/protocol/devices';
import type { DevicesState } from '../contributions/ids';
import { environmentNode } from './environment-node';
import { pitfallsNode, visibleNode } from './explained-nodes';
import { gpuNode, unlistedNode } from './gpu-nodes';
import type { DeviceNode, DeviceTree } from './node';
import { reasonNode } from './reason';

/** Turns a snapshot into rows: GPUs, then devices that NVML does not know, then APIs that are absent and why. */
export function deviceTree(snapshot: DeviceSnapshot): DeviceTree {
  const devices = [
    ...snapshot.nvml.gpus.map((gpu) => gpuNode(gpu, snapshot)),
    ...snapshot.matches.filter(({ gpuIndex }) => gpuIndex === undefined).map((match) => unlistedNode(match, snapshot)),
  ];
  const state = devices.length > 0 ? 'listed' : emptyState(snapshot);
  if (state !== 'listed') return { state, roots: [] };
  const explained = [...visibleNode(snapshot), ...pitfallsNode(snapshot)];
  return { state, roots: [...devices, ...absentApis(snapshot), ...explained, environmentNode(snapshot)] };
}

/** What to say when no device is there. Reasons that are more than "not installed" get rows of their own. */
function emptyState(snapshot: DeviceSnapshot): DevicesState {
  const codes = reasonsOf(snapshot).map(({ code }) => code);
  if (codes.length === 0) return 'no-gpu';
  if (codes.includes('addon-missing')) return 'addon-missing';
  const notInstalled = ['vulkan-loader-missing', 'cuda-library-missing', 'nvml-library-missing'];
  return codes.every((code) => notInstalled.includes(code)) ? 'no-driver' : 'listed';
}

function absentApis({ vulkan, cuda, nvml }: DeviceSnapshot): DeviceNode[] {
  // Without the driver both libraries are missing: one row says it.
  const sameCause = cuda.reason?.code === 'cuda-library-missing' && nvml.reason?.code === 'nvml-library-missing';
  const absent: [string, Reason | undefined][] = [
    ['Vulkan', vulkan.reason],
    ['CUDA', cuda.reason],
    ['NVML', sameCause ? undefined : nvml.reason],
  ];
  return absent.flatMap(([api, reason]) => (reason ? [reasonNode(`absent:${api}`, api, reason)] : []));
}

function reasonsOf({ vulkan, cuda, nvml }: DeviceSnapshot): Reason[] {
  return [vulkan.reason, cuda.reason, nvml.reason].filter((reason) => reason !== undefined);
}

/** Every row, parents before children. */
export function flatten(nodes: DeviceNode[]): DeviceNode[] {
  return nodes.flatMap((node) => [node, ...flatten(node.children)]);
}

/** The few words for the status bar. */
export function summary(snapshot: DeviceSnapshot): string {
  const gpus = snapshot.nvml.gpus.length || snapshot.matches.filter((match) => isGpu(snapshot, match)).length;
  if (gpus > 0) return gpus === 1 ? '1 GPU' : `${gpus} GPUs`;
  return snapshot.vulkan.devices.length > 0 ? 'CPU only' : 'No GPU';
}

function isGpu(snapshot: DeviceSnapshot, match: { cudaOrdinal?: number; vulkanIndex?: number }): boolean {
  const vulkan = snapshot.vulkan.devices.find(({ index }) => index === match.vulkanIndex);
  return match.cudaOrdinal !== undefined || (vulkan !== undefined && vulkan.type !== 'cpu');
}
