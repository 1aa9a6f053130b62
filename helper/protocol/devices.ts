/**
 * One answer to "what GPUs are here, and which CUDA ordinal is which Vulkan device": the type of the JSON that
 * native/src/devices writes and that the tree, the command line and the report read.
 * UUIDs are lower-case hex with dashes and without prefix; sizes are bytes.
 */
import type { ClockLimit, DeviceUse, EccState, GpuClocks, GpuProcess } from './device-readings';
import type { Pitfall, Route, VisibleDevices } from './device-routing';

/** Why a device has no partner on the other side, or why a source of facts is absent. A closed list: every code has a text and a next step. */
export type ReasonCode =
  | 'cpu-driver' // a Vulkan device of type CPU never has a CUDA partner
  | 'not-nvidia' // the Vulkan device belongs to another vendor
  | 'other-driver-same-gpu' // NVK or another driver of an NVIDIA GPU: its UUID is not NVIDIA's
  | 'vulkan-loader-missing' // libvulkan.so.1 cannot be opened
  | 'vulkan-no-icd' // the loader found no driver manifest
  | 'vulkan-icd-rejected' // a manifest exists, its library failed to load or was refused
  | 'vulkan-enumeration-failed' // vkCreateInstance or vkEnumeratePhysicalDevices failed otherwise
  | 'container-without-graphics' // NVIDIA_DRIVER_CAPABILITIES lacks "graphics"
  | 'cuda-library-missing' // libcuda.so.1 cannot be opened: no NVIDIA driver here
  | 'cuda-stub-library' // the toolkit's stub was loaded instead of the driver
  | 'cuda-no-device' // CUDA_ERROR_NO_DEVICE
  | 'cuda-driver-mismatch' // kernel module and user library differ
  | 'cuda-system-not-ready' // fabric manager or system not initialised
  | 'cuda-compat-unsupported' // forward compatibility not supported on this device
  | 'cuda-mps-failed' // one of the MPS errors
  | 'cuda-init-failed' // any other cuInit error; the number is in the detail
  | 'cuda-call-failed' // any other error of one CUDA call; its name and number are in the detail
  | 'cuda-too-old-for-uuid-v2' // driver before CUDA 11.4: no cuDeviceGetUuid_v2, so no honest match
  | 'nvml-library-missing'
  | 'nvml-init-failed'
  | 'nvml-driver-mismatch'
  | 'nvml-no-permission'
  | 'nvml-call-failed' // any other NVML error of one call; the number is in the detail
  | 'hidden-by-cuda-visible-devices'
  | 'hidden-by-loader-filter' // VK_LOADER_DEVICE_SELECT, VK_LOADER_DRIVERS_SELECT and the like
  | 'device-node-no-permission'
  | 'mig-without-graphics' // the MIG profile has no graphics capability
  | 'mig-without-compute-instance'
  | 'mig-one-instance-limit' // before R570 a process sees one MIG instance
  | 'gpu-lost'
  | 'tegra'
  | 'wsl'
  | 'driver-library-damaged' // libcuda, libnvidia-ml or libvulkan is there, but cut off, of another architecture or incomplete
  | 'addon-missing' // the native addon could not be loaded
  | 'probe-failed' // the probe process died or hung
  | 'driver-hangs' // a driver call of the engine never returned; the detail names it
  | 'no-partner'; // nothing above explains it; the detail says what was compared

export interface Reason {
  code: ReasonCode;
  /** One sentence: the cause, with the actual values. */
  message: string;
  /** One sentence: what to do next. */
  nextStep: string;
  /** The driver's own words or number, when there are any. */
  detail?: string;
}

/** A vendor library that was opened or tried, with the path the dynamic linker really used. */
export interface LibraryReport {
  name: string;
  path?: string;
  version?: string;
  /** dlerror() when it could not be opened. */
  error?: string;
  /** Why files that come first in the search were not taken, one line each. */
  passedOver?: string;
}

/** Which handle types a Vulkan device exports and imports. `opaqueFd` and so on are Vulkan's names without prefix. */
export interface ExternalHandle {
  handleType: 'opaqueFd' | 'dmaBuf' | 'hostAllocation' | 'syncFd' | 'opaqueWin32';
  exportable: boolean;
  importable: boolean;
  dedicatedOnly?: boolean;
}

/** Whether a buffer of one usage can cross. */
export interface ExternalBufferSupport {
  handleType: ExternalHandle['handleType'];
  usage: 'storage' | 'transfer' | 'vertex' | 'uniform' | 'indirect';
  exportable: boolean;
  importable: boolean;
  /** The memory must be dedicated to this one resource (VkMemoryDedicatedAllocateInfo). */
  dedicatedOnly: boolean;
}

/** Whether an image of one format and usage can cross, with optimal or linear tiling. */
export interface ExternalImageSupport {
  handleType: ExternalHandle['handleType'];
  /** Vulkan's name without VK_FORMAT_. */
  format: string;
  tiling: 'optimal' | 'linear';
  usage: 'color' | 'depth' | 'storage' | 'transfer';
  exportable: boolean;
  importable: boolean;
  dedicatedOnly: boolean;
  /** The largest such image, in texels. */
  maxExtent?: [number, number];
}

export interface VulkanQueueFamily {
  index: number;
  count: number;
  flags: ('graphics' | 'compute' | 'transfer' | 'sparse' | 'video-decode' | 'video-encode' | 'optical-flow' | 'protected')[];
}

export interface VulkanDevice {
  /** Enumeration index in this process; never a CUDA ordinal. */
  index: number;
  name: string;
  type: 'discrete' | 'integrated' | 'virtual' | 'cpu' | 'other';
  vendorId: number;
  deviceId: number;
  deviceUuid: string;
  driverUuid: string;
  driverId: string;
  driverName: string;
  driverInfo: string;
  apiVersion: string;
  pci?: string;
  memoryBytes: number;
  queueFamilies: VulkanQueueFamily[];
  /** Buffers for storage and transfer. */
  externalMemory: ExternalHandle[];
  /** Per buffer usage and per image format and usage: what the summary above leaves out. Only combinations that can cross are listed. */
  externalBuffers?: ExternalBufferSupport[];
  externalImages?: ExternalImageSupport[];
  /** VK_EXT_physical_device_drm: device nodes as major:minor, with the path when it exists. */
  drm?: { primary?: string; render?: string; renderNode?: string };
  externalSemaphore: { binary: ExternalHandle[]; timeline: ExternalHandle[] };
  timelineSemaphore: boolean;
  maxStorageBufferRange: number;
}

export interface CudaDevice {
  /** The process-visible ordinal, after CUDA_VISIBLE_DEVICES. */
  ordinal: number;
  name: string;
  /** From cuDeviceGetUuid_v2; absent, with the reason, when the driver has none. */
  uuid?: string;
  uuidReason?: Reason;
  computeCapability: string;
  memoryBytes: number;
  pci?: string;
  /** CU_DEVICE_ATTRIBUTE_* in camel case; 0 and 1 for what is either there or not. */
  attributes: Record<string, number>;
  /** A call that failed for this device: the rest stays valid. */
  problems?: Reason[];
  /** From the older cuDeviceGetUuid: a MIG instance's parent. Shown only where it would mislead, never matched. */
  legacyUuid?: string;
  /** Who may use this device's memory: every other ordinal of this process. */
  peers?: CudaPeer[];
}

export interface CudaPeer {
  ordinal: number;
  access: boolean;
  nativeAtomics?: boolean;
  arrayAccess?: boolean;
  /** 0 is the fastest link; the numbers only rank. */
  performanceRank?: number;
}

export interface MigInstance {
  index: number;
  uuid: string;
  /** As NVML prints it: "MIG-..." */
  nvmlUuid: string;
  name: string;
  gpuInstanceId: number;
  computeInstanceId: number;
  memoryBytes: number;
  memoryUsedBytes?: number;
  smCount?: number;
  /** By NVML's capability bit of the profile; absent when the driver does not tell. */
  graphics?: boolean;
  /** The GPU instance's profile, "1g.24gb+gfx", and NVML's number for it, as `nvidia-smi mig -cgi` takes them. */
  profile?: string;
  profileId?: number;
  /** `MIG-GPU-<uuid>/<gi>/<ci>`, the form of drivers before R470, which later ones still accept. */
  legacyUuid?: string;
  engines?: MigEngines;
  /** Memory slices of the GPU instance, for drawing the layout; absent without the privilege to ask. */
  placement?: { start: number; size: number };
  /** SMs busy, through GPM. */
  use?: DeviceUse;
}

/** Engines of an instance; shared with the other compute instances of its GPU instance. */
export interface MigEngines {
  copy: number;
  decoder: number;
  encoder: number;
  jpeg: number;
  ofa: number;
  gpuSlices: number;
  computeSlices: number;
}

/** A profile that the GPU offers for new instances. */
export interface MigProfile {
  id: number;
  name: string;
  graphics: boolean;
  memoryBytes: number;
  smCount: number;
  /** How many fit on an empty GPU. */
  maxInstances: number;
}

export interface GpuHealth {
  temperatureC?: number;
  slowdownTemperatureC?: number;
  powerWatts?: number;
  powerLimitWatts?: number;
  fanPercent?: number;
  clocks: GpuClocks;
  maxClocks: GpuClocks;
  /** Why the clocks are what they are. */
  clockLimits?: ClockLimit[];
  ecc?: EccState;
}

export interface NvmlGpu {
  /** NVML's index (PCI order); never a CUDA ordinal. */
  index: number;
  name: string;
  uuid: string;
  pci: string;
  memoryBytes: number;
  memoryUsedBytes?: number;
  utilizationPercent?: number;
  temperatureC?: number;
  powerWatts?: number;
  mig: { supported: boolean; current: boolean; pending: boolean };
  instances: MigInstance[];
  /** What new instances could be made of; only in MIG mode. */
  profiles?: MigProfile[];
  /** SMs of the whole GPU and its architecture in NVIDIA's word: "Hopper". */
  architecture?: string;
  /** Device use, or why it is not there: MIG mode has none for the whole GPU. */
  use?: DeviceUse;
  health?: GpuHealth;
  processes?: GpuProcess[];
  computeMode?: 'default' | 'exclusive-process' | 'prohibited' | 'exclusive-thread';
  /** A call that failed for this GPU (no permission, lost): the rest stays valid. */
  problems: Reason[];
}

/** One row of the match: a CUDA device, a Vulkan device and a physical GPU or MIG instance, as far as each exists. */
export interface DeviceMatch {
  uuid?: string;
  cudaOrdinal?: number;
  vulkanIndex?: number;
  gpuIndex?: number;
  migIndex?: number;
  status: 'matched' | 'cuda-only' | 'vulkan-only' | 'physical-only';
  /** Why the partner is missing; empty when matched. */
  reasons: Reason[];
}

/** How two physical GPUs reach each other. */
export interface GpuLink {
  /** NVML indices, a < b. */
  a: number;
  b: number;
  /** The closest thing that both hang under. */
  path: 'same-board' | 'pcie-switch' | 'pcie-switches' | 'host-bridge' | 'numa-node' | 'system' | 'unknown';
  /** NVLinks that are up: straight to the other GPU, or to an NVSwitch that both are on. */
  nvlinks: number;
  throughSwitch: boolean;
  /** NVML's word on peer reads: "ok" or why not. */
  peerRead?: string;
}

export interface EnvironmentFacts {
  /** Only the variables that decide what is visible; unset ones are absent. */
  variables: Record<string, string>;
  container: boolean;
  wsl: boolean;
  icdFiles: { path: string; library?: string; problem?: string }[];
  kernelDriverVersion?: string;
}

export interface DeviceSnapshot {
  version: 1;
  /** ISO 8601. */
  takenAt: string;
  environment: EnvironmentFacts;
  libraries: LibraryReport[];
  vulkan: { available: boolean; reason?: Reason; instanceVersion?: string; devices: VulkanDevice[] };
  cuda: { available: boolean; reason?: Reason; driverVersion?: string; devices: CudaDevice[] };
  nvml: { available: boolean; reason?: Reason; driverVersion?: string; gpus: NvmlGpu[] };
  matches: DeviceMatch[];
  /** Every pair of physical GPUs; absent with fewer than two. */
  links?: GpuLink[];
  /** CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER, entry by entry. */
  visible?: VisibleDevices;
  /** What runs where: one row for each ordinal, in order; then the Vulkan devices without an ordinal. */
  routes?: Route[];
  /** What would mislead a program on this very machine. */
  pitfalls?: Pitfall[];
}
