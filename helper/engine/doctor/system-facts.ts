/** The files of this machine that the checks read, below `root` so that a test can bring its own. */
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Env } from '../driver-files';
import { type ValidationLayer, validationLayers } from './validation-layers';

export interface DeviceNode {
  path: string;
  usable: boolean;
}

/** A MIG instance that the kernel module knows, and its node. */
export interface MigNode {
  /** "gpu0/gi9/ci0", as the kernel module names it. */
  capability: string;
  node: string;
  state: 'usable' | 'missing' | 'forbidden';
}

export interface SystemFacts {
  platform: NodeJS.Platform;
  /** Lines of /etc/ld.so.preload. */
  preloadFile: string[];
  /** RLIMIT_NOFILE; absent where the system does not tell. */
  descriptors?: { soft: number; hard: number };
  /** /dev/nvidia*, without the folder of capabilities. */
  nodes: DeviceNode[];
  /** GPUs that the kernel module drives, by PCI address. */
  kernelGpus: string[];
  migNodes: MigNode[];
  layers: ValidationLayer[];
}

export function readSystemFacts(env: Env, root = ''): SystemFacts {
  const limit = /^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(read(`${root}/proc/self/limits`));
  return {
    platform: process.platform,
    preloadFile: read(`${root}/etc/ld.so.preload`)
      .split(/[\s:]+/)
      .filter(Boolean),
    ...(limit ? { descriptors: { soft: count(limit[1]!), hard: count(limit[2]!) } } : {}),
    nodes: list(`${root}/dev`)
      .filter((name) => /^nvidia(\d+|ctl|-uvm|-uvm-tools|-modeset)$/.test(name))
      .map((name) => ({ path: `/dev/${name}`, usable: usable(`${root}/dev/${name}`) })),
    kernelGpus: list(`${root}/proc/driver/nvidia/gpus`),
    migNodes: migNodes(root),
    layers: validationLayers(env, root),
  };
}

/** Lines "gpu0/gi9/ci0/access 84": the number is that of /dev/nvidia-caps/nvidia-capN. Only instances that exist have a folder of capabilities. */
function migNodes(root: string): MigNode[] {
  const lines = read(`${root}/proc/driver/nvidia-caps/mig-minors`).matchAll(/^(gpu\d+\/gi\d+(?:\/ci\d+)?)\/access (\d+)$/gm);
  return [...lines]
    .filter(([, capability]) => list(`${root}/proc/driver/nvidia/capabilities/${capability!.replace('/gi', '/mig/gi')}`).length > 0)
    .map(([, capability, minor]) => {
      const node = `/dev/nvidia-caps/nvidia-cap${minor}`;
      const present = list(`${root}/dev/nvidia-caps`).includes(path.basename(node));
      const state = !present ? 'missing' : usable(`${root}${node}`, constants.R_OK) ? 'usable' : 'forbidden';
      return { capability: capability!, node, state };
    });
}

function count(text: string): number {
  return text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text);
}

function usable(file: string, mode = constants.R_OK | constants.W_OK): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
