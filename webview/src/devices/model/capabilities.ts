/** What a device can do at the seam, as tables. */
import type { CudaDevice, ExternalHandle, VulkanDevice } from '../../../../helper/protocol/devices';
import { yesNo } from './format';
import type { Cell, Column, Row, Table } from './table';

/** What matters to sharing memory, the most important first; flags are 1 or 0. The numbers are those of CU_DEVICE_ATTRIBUTE. */
const known: Record<string, [words: string, attribute: string, isFlag: boolean]> = {
  posixFileDescriptorHandle: ['Exports memory as POSIX file descriptors', 'HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED', true],
  timelineSemaphoreInterop: ['Imports Vulkan timeline semaphores', 'TIMELINE_SEMAPHORE_INTEROP_SUPPORTED', true],
  virtualMemoryManagement: ['Virtual memory management (cuMemCreate)', 'VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED', true],
  memoryPools: ['Memory pools (cudaMallocAsync)', 'MEMORY_POOLS_SUPPORTED', true],
  mempoolHandleTypes: ['Handle types of memory pools, as bits', 'MEMPOOL_SUPPORTED_HANDLE_TYPES', false],
  dmaBuf: ['Exports memory as DMA-BUF', 'DMA_BUF_SUPPORTED', true],
  fabricHandle: ['Fabric handles', 'HANDLE_TYPE_FABRIC_SUPPORTED', true],
  gpuDirectRdma: ['GPUDirect RDMA', 'GPU_DIRECT_RDMA_SUPPORTED', true],
  unifiedAddressing: ['One address space for host and devices', 'UNIFIED_ADDRESSING', true],
  managedMemory: ['Managed memory', 'MANAGED_MEMORY', true],
  concurrentManagedAccess: ['Managed memory used from both sides at once', 'CONCURRENT_MANAGED_ACCESS', true],
  pageableMemoryAccess: ['Pageable host memory without registration', 'PAGEABLE_MEMORY_ACCESS', true],
  hostNativeAtomic: ['Atomics on host memory', 'HOST_NATIVE_ATOMIC_SUPPORTED', true],
  concurrentKernels: ['Concurrent kernels', 'CONCURRENT_KERNELS', true],
  asyncEngineCount: ['Copy engines', 'ASYNC_ENGINE_COUNT', false],
  multiprocessorCount: ['Multiprocessors', 'MULTIPROCESSOR_COUNT', false],
  kernelExecTimeout: ['Kernels have a time limit (a display hangs on it)', 'KERNEL_EXEC_TIMEOUT', true],
  integrated: ['Integrated with the host', 'INTEGRATED', true],
  computeMode: ['Compute mode', 'COMPUTE_MODE', false],
};

const labelled: Column[] = [
  { id: 'what', label: 'Capability' },
  { id: 'value', label: 'Value' },
];

export function cudaTable({ attributes }: CudaDevice): Table {
  const names = [...Object.keys(known).filter((name) => name in attributes), ...Object.keys(attributes).filter((name) => !(name in known))];
  return { columns: labelled, rows: names.map((name) => attributeRow(name, attributes[name]!)) };
}

function attributeRow(name: string, value: number): Row {
  const [words, attribute, isFlag] = known[name] ?? [name, name, false];
  const title = `CU_DEVICE_ATTRIBUTE_${attribute}`;
  const answer: Cell = isFlag
    ? { text: yesNo(value !== 0), sort: value, level: value === 0 ? 'quiet' : 'good' }
    : { text: String(value), sort: value };
  return { id: name, cells: [{ text: words, title }, answer] };
}

export const handleNames: Record<ExternalHandle['handleType'], string> = {
  opaqueFd: 'opaque fd',
  dmaBuf: 'DMA-BUF',
  hostAllocation: 'host allocation',
  syncFd: 'sync fd',
  opaqueWin32: 'opaque Win32',
};

const crossing: Column[] = [
  { id: 'handle', label: 'Handle' },
  { id: 'what', label: 'Of' },
  { id: 'usage', label: 'Usage' },
  { id: 'export', label: 'Export' },
  { id: 'import', label: 'Import' },
  { id: 'dedicated', label: 'Dedicated', title: 'The memory must be made for this one resource (VkMemoryDedicatedAllocateInfo)' },
];

/** Semaphores and buffers: one row a handle type and usage. */
export function handleTable({ externalBuffers, externalMemory, externalSemaphore }: VulkanDevice): Table {
  const buffers =
    externalBuffers?.map((each) => handleRow(each, 'buffer', each.usage)) ??
    externalMemory.map((each) => handleRow(each, 'buffer', 'storage, transfer'));
  const semaphores = (['binary', 'timeline'] as const).flatMap((kind) => externalSemaphore[kind].map((each) => handleRow(each, 'semaphore', kind)));
  return { columns: crossing, rows: [...buffers, ...semaphores] };
}

function handleRow(handle: ExternalHandle, what: string, usage: string): Row {
  return {
    id: `${handle.handleType}/${what}/${usage}`,
    cells: [{ text: handleNames[handle.handleType] }, { text: what }, { text: usage }, ...ways(handle)],
  };
}

export function imageTable({ externalImages = [] }: VulkanDevice): Table {
  return {
    columns: [
      { id: 'format', label: 'Format' },
      { id: 'tiling', label: 'Tiling' },
      { id: 'usage', label: 'Usage' },
      { id: 'handle', label: 'Handle' },
      ...crossing.slice(3),
      { id: 'extent', label: 'Largest', numeric: true },
    ],
    rows: externalImages.map((image) => ({
      id: [image.format, image.tiling, image.usage, image.handleType].join('/'),
      cells: [
        { text: image.format },
        { text: image.tiling },
        { text: image.usage },
        { text: handleNames[image.handleType] },
        ...ways(image),
        image.maxExtent ? { text: image.maxExtent.join(' × '), sort: image.maxExtent[0] } : { text: '' },
      ],
    })),
  };
}

function ways({ exportable, importable, dedicatedOnly }: ExternalHandle): Cell[] {
  return [
    answer(exportable),
    answer(importable),
    { text: dedicatedOnly ? 'required' : 'no', ...(dedicatedOnly ? { level: 'warning' } : { level: 'quiet' }) },
  ];
}

const answer = (value: boolean): Cell => ({ text: yesNo(value), level: value ? 'good' : 'quiet' });
