/** What a device snapshot says about the health of this machine's drivers, one check a fact. */
import type { EngineInfo } from '../engine/client';
import type { DeviceSnapshot, LibraryReport, Reason, ReasonCode } from '../protocol/devices';
import { matchNames } from './devices-text';

export interface Check {
  id: string;
  title: string;
  status: 'ok' | 'info' | 'warning' | 'problem';
  message: string;
  nextStep?: string;
  /** The driver's own words. */
  detail?: string;
}

/** How bad a reason is: something broken, something that may be meant so, or a plain fact of this machine. */
const STATUS: Record<ReasonCode, Check['status']> = {
  'addon-missing': 'problem',
  'driver-library-damaged': 'problem',
  'probe-failed': 'problem',
  'driver-hangs': 'problem',
  'vulkan-icd-rejected': 'problem',
  'vulkan-enumeration-failed': 'problem',
  'container-without-graphics': 'problem',
  'cuda-stub-library': 'problem',
  'cuda-driver-mismatch': 'problem',
  'cuda-system-not-ready': 'problem',
  'cuda-compat-unsupported': 'problem',
  'cuda-mps-failed': 'problem',
  'cuda-init-failed': 'problem',
  'cuda-call-failed': 'warning',
  'cuda-too-old-for-uuid-v2': 'problem',
  'nvml-driver-mismatch': 'problem',
  'device-node-no-permission': 'problem',
  'mig-without-compute-instance': 'problem',
  'gpu-lost': 'problem',
  'vulkan-loader-missing': 'warning',
  'vulkan-no-icd': 'warning',
  'cuda-no-device': 'warning',
  'nvml-init-failed': 'warning',
  'nvml-no-permission': 'warning',
  'nvml-call-failed': 'warning',
  'hidden-by-cuda-visible-devices': 'warning',
  'hidden-by-loader-filter': 'warning',
  'mig-without-graphics': 'warning',
  'mig-one-instance-limit': 'warning',
  'other-driver-same-gpu': 'warning',
  'no-partner': 'warning',
  'cpu-driver': 'info',
  'not-nvidia': 'info',
  'cuda-library-missing': 'info',
  'nvml-library-missing': 'info',
  tegra: 'info',
  wsl: 'info',
};

export function checksOf(engine: EngineInfo, snapshot: DeviceSnapshot): Check[] {
  return [
    addonCheck(engine),
    ...snapshot.libraries.map(libraryCheck),
    ...snapshot.environment.icdFiles.map(icdCheck),
    partCheck('vulkan', 'Vulkan', snapshot.vulkan.reason, count(snapshot.vulkan.devices.length, 'device')),
    partCheck(
      'cuda',
      'CUDA',
      snapshot.cuda.reason,
      `${count(snapshot.cuda.devices.length, 'device')}, driver ${snapshot.cuda.driverVersion ?? 'unknown'}`,
    ),
    partCheck('nvml', 'NVML', snapshot.nvml.reason, `${count(snapshot.nvml.gpus.length, 'GPU')}, driver ${snapshot.nvml.driverVersion ?? 'unknown'}`),
    ...snapshot.nvml.gpus.flatMap((gpu) => gpu.problems.map((problem) => reasonCheck(`gpu-${gpu.index}`, `GPU ${gpu.index} ${gpu.name}`, problem))),
    ...matchChecks(snapshot),
    ...environmentChecks(snapshot),
  ];
}

function addonCheck({ engineVersion, addonPath, addonProblem }: EngineInfo): Check {
  const base = { id: 'addon', title: 'Native addon' };
  if (addonProblem) return { ...base, status: 'problem', ...addonProblem };
  return { ...base, status: 'ok', message: `${addonPath}, version ${engineVersion}` };
}

function libraryCheck({ name, path, version, error }: LibraryReport): Check {
  const base = { id: `library-${name}`, title: name };
  if (path) return { ...base, status: 'ok', message: `${path}${version ? `, version ${version}` : ''}` };
  // Every other word of the linker is about a file that is there.
  if (error && !error.includes('No such file')) return { ...base, status: 'problem', message: error };
  return { ...base, status: 'info', message: 'not found', ...(error ? { detail: error } : {}) };
}

function icdCheck({ path, library, problem }: DeviceSnapshot['environment']['icdFiles'][number]): Check {
  const base = { id: `icd-${path}`, title: path };
  if (!problem) return { ...base, status: 'ok', message: `names ${library ?? 'no library'}` };
  return {
    ...base,
    status: 'problem',
    message: problem,
    nextStep: 'Install that driver again, or remove the manifest or the variable that names it.',
  };
}

function partCheck(id: string, title: string, reason: Reason | undefined, fine: string): Check {
  return reason ? reasonCheck(id, title, reason) : { id, title, status: 'ok', message: fine };
}

function reasonCheck(id: string, title: string, { code, message, nextStep, detail }: Reason): Check {
  return { id: `${id}-${code}`, title, status: STATUS[code] ?? 'warning', message, nextStep, ...(detail ? { detail } : {}) };
}

function matchChecks({ matches }: DeviceSnapshot): Check[] {
  return matches.flatMap((match): Check[] => {
    const title = matchNames(match);
    if (match.status === 'matched') return [{ id: `match-${match.uuid}`, title, status: 'ok', message: `one device, UUID ${match.uuid}` }];
    return match.reasons.map((reason) => reasonCheck(`match-${match.uuid ?? title}`, title, reason));
  });
}

function environmentChecks({ environment }: DeviceSnapshot): Check[] {
  const facts = [
    ...Object.entries(environment.variables).map(([name, value]) => [name, `set to "${value}"`]),
    ...(environment.container ? [['Container', 'this process runs in a container']] : []),
    ...(environment.wsl ? [['WSL', 'this is the Windows Subsystem for Linux']] : []),
    ...(environment.kernelDriverVersion ? [['NVIDIA kernel module', `version ${environment.kernelDriverVersion}`]] : []),
  ] as [string, string][];
  return facts.map(([title, message]) => ({ id: `environment-${title}`, title, status: 'info', message }));
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
