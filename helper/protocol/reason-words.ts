/** Reasons in a few words. */
import type { Reason, ReasonCode } from './devices';

/** A few words for a row; the sentence with the actual values is the reason's own message. */
const shortTexts: Record<ReasonCode, string> = {
  'cpu-driver': 'runs on the CPU',
  'not-nvidia': 'not an NVIDIA GPU',
  'other-driver-same-gpu': 'another driver of the same GPU',
  'vulkan-loader-missing': 'Vulkan loader not installed',
  'vulkan-no-icd': 'no Vulkan driver found',
  'vulkan-icd-rejected': 'Vulkan driver rejected',
  'vulkan-enumeration-failed': 'Vulkan failed to list devices',
  'container-without-graphics': 'container without graphics',
  'cuda-library-missing': 'no NVIDIA driver',
  'cuda-stub-library': 'stub library loaded',
  'cuda-no-device': 'no CUDA device',
  'cuda-driver-mismatch': 'driver and library differ',
  'cuda-system-not-ready': 'system not ready',
  'cuda-compat-unsupported': 'compatibility mode not supported',
  'cuda-mps-failed': 'MPS failed',
  'cuda-init-failed': 'CUDA failed to start',
  'cuda-call-failed': 'CUDA call failed',
  'cuda-too-old-for-uuid-v2': 'driver too old for an exact UUID',
  'nvml-library-missing': 'no NVIDIA driver',
  'nvml-init-failed': 'NVML failed to start',
  'nvml-driver-mismatch': 'driver and library differ',
  'nvml-no-permission': 'no permission',
  'nvml-call-failed': 'NVML call failed',
  'hidden-by-cuda-visible-devices': 'hidden by CUDA_VISIBLE_DEVICES',
  'hidden-by-loader-filter': 'hidden by a loader filter',
  'device-node-no-permission': 'no permission for the device file',
  'mig-without-graphics': 'MIG profile without graphics',
  'mig-without-compute-instance': 'no compute instance',
  'mig-one-instance-limit': 'one MIG instance per process',
  'gpu-lost': 'GPU lost',
  tegra: 'integrated Tegra GPU',
  wsl: 'WSL',
  'driver-library-damaged': 'damaged driver library',
  'addon-missing': 'native addon missing',
  'probe-failed': 'the driver did not answer',
  'driver-hangs': 'a driver call never returned',
  'no-partner': 'no partner',
};

/** Facts of the machine rather than faults: shown without the warning colour. */
const benign = new Set<ReasonCode>([
  'cpu-driver',
  'not-nvidia',
  'cuda-library-missing',
  'nvml-library-missing',
  'vulkan-loader-missing',
  'tegra',
  'wsl',
]);

export function shortText(reason: Reason): string {
  return shortTexts[reason.code] ?? reason.code;
}

export function isBenign(reason: Reason): boolean {
  return benign.has(reason.code);
}
