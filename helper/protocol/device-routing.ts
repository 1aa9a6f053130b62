/** The match explained: what CUDA_VISIBLE_DEVICES selects and why, which Vulkan device an ordinal is, and what would mislead. */

export interface VisibleEntry {
  /** As written, without surrounding blanks. */
  text: string;
  kind: 'index' | 'gpu-uuid' | 'mig-uuid' | 'mig-legacy-uuid' | 'negative' | 'malformed';
  status:
    | 'selects' // becomes an ordinal
    | 'ends-list' // invalid: CUDA ignores it and every entry after it
    | 'ignored' // stands behind an entry that ends the list
    | 'duplicate' // names a device a second time, which ends the list or empties it
    | 'limited' // beyond what this driver shows one process
    | 'unknown'; // NVML cannot be asked, so nobody knows what it names
  /** The ordinal that it becomes. */
  ordinal?: number;
  gpuIndex?: number;
  migIndex?: number;
  /** One sentence. */
  message: string;
}

export interface VisibleDevices {
  /** Absent when the variable is not set. */
  value?: string;
  entries: VisibleEntry[];
  order: { value: 'FASTEST_FIRST' | 'PCI_BUS_ID'; set: boolean; message: string };
  /** How many MIG instances this driver shows one process. */
  migRule: { generation: 'one-instance' | 'several-instances' | 'unknown'; driver?: string; message: string };
  /** One sentence over all. */
  summary: string;
}

export interface Route {
  cudaOrdinal?: number;
  vulkanIndex?: number;
  gpuIndex?: number;
  migIndex?: number;
  uuid?: string;
  name: string;
  /** Sources of the preview that run on this device now; ids as in sources/list. */
  sources: string[];
  /** Why there is no partner: the first reason of the match. */
  missing?: string;
}

export interface Pitfall {
  code:
    | 'legacy-uuid-shared' // cuDeviceGetUuid gives several ordinals one UUID
    | 'pci-shared' // several ordinals have one PCI address
    | 'ordinal-not-nvml-index' // CUDA n is not NVML's GPU n
    | 'ordinal-not-vulkan-index' // CUDA n is not Vulkan device n
    | 'same-name'; // several devices have one name
  message: string;
  nextStep: string;
  /** The CUDA ordinals it concerns. */
  ordinals: number[];
}
