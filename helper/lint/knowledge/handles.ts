// External handle types: what object they are for, and whether a successful import adopts the OS handle.
import { own } from '../own';

export type HandleObject = 'memory' | 'semaphore' | 'fence';
export type HandleForm = 'fd' | 'sync-fd' | 'dma-buf' | 'nt' | 'kmt' | 'd3d' | 'nvsci' | 'other';

export interface HandleType {
  readonly symbol: string;
  readonly object: HandleObject;
  readonly form: HandleForm;
  readonly timeline: boolean;
  readonly api: 'vulkan' | 'cuda-driver' | 'cuda-runtime' | 'gl' | 'hip';
}

const types = new Map<string, HandleType>();

function add(api: HandleType['api'], object: HandleObject, prefix: string, names: Record<string, HandleForm>): void {
  for (const [name, form] of Object.entries(names)) {
    const symbol = prefix + name;
    types.set(symbol, { symbol, object, form, timeline: /timeline/i.test(name), api });
  }
}

for (const object of ['memory', 'semaphore', 'fence'] as const) {
  add('vulkan', object, `VK_EXTERNAL_${object.toUpperCase()}_HANDLE_TYPE_`, {
    OPAQUE_FD_BIT: 'fd',
    OPAQUE_FD_BIT_KHR: 'fd',
    OPAQUE_WIN32_BIT: 'nt',
    OPAQUE_WIN32_BIT_KHR: 'nt',
    OPAQUE_WIN32_KMT_BIT: 'kmt',
    OPAQUE_WIN32_KMT_BIT_KHR: 'kmt',
    ...(object === 'memory'
      ? {
          DMA_BUF_BIT_EXT: 'dma-buf',
          HOST_ALLOCATION_BIT_EXT: 'other',
          D3D11_TEXTURE_BIT: 'd3d',
          D3D12_HEAP_BIT: 'd3d',
          D3D12_RESOURCE_BIT: 'd3d',
        }
      : { SYNC_FD_BIT: 'sync-fd', SYNC_FD_BIT_KHR: 'sync-fd', D3D12_FENCE_BIT: 'd3d' }),
  });
}

add('cuda-runtime', 'memory', 'cudaExternalMemoryHandleType', {
  OpaqueFd: 'fd',
  OpaqueWin32: 'nt',
  OpaqueWin32Kmt: 'kmt',
  D3D12Heap: 'd3d',
  D3D12Resource: 'd3d',
  D3D11Resource: 'd3d',
  D3D11ResourceKmt: 'kmt',
  NvSciBuf: 'nvsci',
});
add('cuda-runtime', 'semaphore', 'cudaExternalSemaphoreHandleType', {
  OpaqueFd: 'fd',
  OpaqueWin32: 'nt',
  OpaqueWin32Kmt: 'kmt',
  D3D12Fence: 'd3d',
  D3D11Fence: 'd3d',
  NvSciSync: 'nvsci',
  KeyedMutex: 'd3d',
  KeyedMutexKmt: 'kmt',
  TimelineSemaphoreFd: 'fd',
  TimelineSemaphoreWin32: 'nt',
});
add('cuda-driver', 'memory', 'CU_EXTERNAL_MEMORY_HANDLE_TYPE_', {
  OPAQUE_FD: 'fd',
  OPAQUE_WIN32: 'nt',
  OPAQUE_WIN32_KMT: 'kmt',
  D3D12_HEAP: 'd3d',
  D3D12_RESOURCE: 'd3d',
  D3D11_RESOURCE: 'd3d',
  D3D11_RESOURCE_KMT: 'kmt',
  NVSCIBUF: 'nvsci',
  DMABUF_FD: 'dma-buf',
});
add('cuda-driver', 'semaphore', 'CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_', {
  OPAQUE_FD: 'fd',
  OPAQUE_WIN32: 'nt',
  OPAQUE_WIN32_KMT: 'kmt',
  D3D12_FENCE: 'd3d',
  D3D11_FENCE: 'd3d',
  NVSCISYNC: 'nvsci',
  D3D11_KEYED_MUTEX: 'd3d',
  D3D11_KEYED_MUTEX_KMT: 'kmt',
  TIMELINE_SEMAPHORE_FD: 'fd',
  TIMELINE_SEMAPHORE_WIN32: 'nt',
});
add('hip', 'memory', 'hipExternalMemoryHandleType', { OpaqueFd: 'fd', OpaqueWin32: 'nt', OpaqueWin32Kmt: 'kmt' });
add('hip', 'semaphore', 'hipExternalSemaphoreHandleType', { OpaqueFd: 'fd', OpaqueWin32: 'nt', OpaqueWin32Kmt: 'kmt' });
add('gl', 'memory', 'GL_HANDLE_TYPE_', { OPAQUE_FD_EXT: 'fd', OPAQUE_WIN32_EXT: 'nt', OPAQUE_WIN32_KMT_EXT: 'kmt' });

const hppMembers: Readonly<Record<string, string>> = {
  eOpaqueFd: 'OPAQUE_FD_BIT',
  eOpaqueFdKHR: 'OPAQUE_FD_BIT',
  eOpaqueWin32: 'OPAQUE_WIN32_BIT',
  eOpaqueWin32KHR: 'OPAQUE_WIN32_BIT',
  eOpaqueWin32Kmt: 'OPAQUE_WIN32_KMT_BIT',
  eSyncFd: 'SYNC_FD_BIT',
  eDmaBufEXT: 'DMA_BUF_BIT_EXT',
};

/** Looks up an enumerator as written: C, or `vk::ExternalMemoryHandleTypeFlagBits::eOpaqueFd`. */
export function handleType(written: string): HandleType | undefined {
  const known = types.get(written.split('::').at(-1)!);
  if (known) return known;
  const hpp = /vk::External(Memory|Semaphore|Fence)HandleTypeFlagBits(?:KHR)?::(\w+)$/.exec(written);
  const member = hpp && own(hppMembers, hpp[2]!);
  return member ? types.get(`VK_EXTERNAL_${hpp[1]!.toUpperCase()}_HANDLE_TYPE_${member}`) : undefined;
}

/** Does a successful import adopt a handle of this form? Undefined: no API states it, so conclude nothing. */
export function adopted(type: HandleType): boolean | undefined {
  if (type.form === 'fd' || type.form === 'sync-fd') return true;
  if (type.form === 'dma-buf') return type.api === 'vulkan' ? true : undefined;
  if (type.form === 'nt' || type.form === 'kmt' || type.form === 'd3d') return false;
  return undefined;
}

/** Where an import call finds the OS handle and its type. `field`s lie in the struct that the parameter points to or chains. */
export interface ImportShape {
  /** A list of names and values, of which the descriptor is the one behind a name. The name tells that it is adopted, too. */
  readonly list?: { readonly param: string; readonly name: string };
  readonly fd: { readonly param: string; readonly field?: string; readonly chained?: string };
  readonly type: { readonly param: string; readonly field?: string };
}

const cuda: ImportShape = { fd: { param: 'desc', field: 'handle.fd' }, type: { param: 'desc', field: 'type' } };
const info: ImportShape = { fd: { param: 'info', field: 'fd' }, type: { param: 'info', field: 'handleType' } };
const direct: ImportShape = { fd: { param: 'fd' }, type: { param: 'handleType' } };

export const fdImports: Readonly<Record<string, ImportShape>> = {
  eglCreateSync: {
    list: { param: 'attributes', name: 'EGL_SYNC_NATIVE_FENCE_FD_ANDROID' },
    fd: { param: 'attributes' },
    type: { param: 'type' },
  },
  cudaImportExternalMemory: cuda,
  cudaImportExternalSemaphore: cuda,
  cuImportExternalMemory: cuda,
  cuImportExternalSemaphore: cuda,
  hipImportExternalMemory: cuda,
  hipImportExternalSemaphore: cuda,
  vkImportSemaphoreFd: info,
  vkImportFenceFd: info,
  glImportMemoryFd: direct,
  glImportSemaphoreFd: direct,
  vkAllocateMemory: {
    fd: { param: 'info', field: 'fd', chained: 'VkImportMemoryFdInfoKHR' },
    type: { param: 'info', field: 'handleType' },
  },
};
