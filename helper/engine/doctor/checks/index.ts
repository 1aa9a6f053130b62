import type { Check } from '../check';
import { addon } from './addon';
import { computeMode } from './compute-mode';
import { container } from './container';
import { cpuDriverOnly } from './cpu-driver-only';
import { cudaInit } from './cuda-init';
import { cudaWithoutVulkan } from './cuda-without-vulkan';
import { descriptorLimit } from './descriptor-limit';
import { deviceNodes } from './device-nodes';
import { driverHangs } from './driver-hangs';
import { driverMismatch } from './driver-mismatch';
import { gpuHealth } from './gpu-health';
import { hiddenFromCuda } from './hidden-from-cuda';
import { icdEntryPoint } from './icd-entry-point';
import { icdLibrary } from './icd-library';
import { icdMissing } from './icd-missing';
import { libraries } from './libraries';
import { loaderFilter } from './loader-filter';
import { maxConnections } from './max-connections';
import { migNodes } from './mig-nodes';
import { nvml } from './nvml';
import { ordinalPitfalls } from './ordinal-pitfalls';
import { partialGpus } from './partial-gpus';
import { preload } from './preload';
import { validationLayersCheck } from './validation-layers';
import { visibleDevices } from './visible-devices';
import { wsl } from './wsl';

/** In the order in which a cause would hide the next. */
export const checks: readonly Check[] = [
  addon,
  libraries,
  driverHangs,
  driverMismatch,
  deviceNodes,
  migNodes,
  partialGpus,
  container,
  icdMissing,
  icdLibrary,
  icdEntryPoint,
  loaderFilter,
  cpuDriverOnly,
  cudaInit,
  nvml,
  gpuHealth,
  computeMode,
  visibleDevices,
  hiddenFromCuda,
  cudaWithoutVulkan,
  ordinalPitfalls,
  maxConnections,
  validationLayersCheck,
  preload,
  descriptorLimit,
  wsl,
];
