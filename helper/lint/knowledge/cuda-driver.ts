import { table } from './table';

export const cudaDriver = table(
  'cuda-driver',
  'CUresult',
  `
cuInit(flags) begin
cuDeviceGet(device*, ordinal) query
cuDeviceGetCount(count*) enumerate
cuDeviceGetName(name*, length, device) query
cuDeviceGetUuid(uuid*, device) query
cuDeviceGetUuid_v2(uuid*, device) query
cuDeviceGetLuid(luid*, mask*, device) query
cuDeviceGetPCIBusId(id*, length, device) query
cuDeviceGetAttribute(value*, attribute, device) query
cuDevicePrimaryCtxRetain(context*, device) acquire
cuDevicePrimaryCtxRelease(device) destroy
cuCtxCreate(context*, flags, device) create push
cuGLCtxCreate(context*, flags, device) create push
cuVDPAUCtxCreate(context*, flags, device, vdpDevice, getProcAddress) create push
cuD3D9CtxCreate(context*, ordinal*, flags, d3d) create push
cuD3D9CtxCreateOnDevice(context*, flags, d3d, device) create push
cuD3D10CtxCreate(context*, ordinal*, flags, d3d) create push
cuD3D10CtxCreateOnDevice(context*, flags, d3d, device) create push
cuD3D11CtxCreate(context*, ordinal*, flags, d3d) create push
cuD3D11CtxCreateOnDevice(context*, flags, d3d, device) create push
cuCtxDestroy(context) destroy
cuCtxPushCurrent(context) push current
cuCtxPopCurrent(context*) pop current
cuCtxSetCurrent(context) current
cuCtxGetCurrent(context*) query
cuCtxGetDevice(device*) query
cuCtxSynchronize() sync
cuStreamCreate(stream*, flags) create
cuStreamCreateWithPriority(stream*, flags, priority) create
cuStreamDestroy(stream) destroy
cuStreamSynchronize(stream) sync
cuStreamQuery(stream) query
cuStreamWaitEvent(stream, event, flags) wait
cuEventCreate(event*, flags) create
cuEventDestroy(event) destroy
cuEventRecord(event, stream) record
cuEventRecordWithFlags(event, stream, flags) record
cuEventSynchronize(event) sync
cuEventQuery(event) query
cuLaunchKernel(function, gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream, params, extra) launch
cuLaunchHostFunc(stream, callback, data) launch
cuMemAlloc(ptr*, size) alloc
cuMemAllocAsync(ptr*, size, stream) alloc launch
cuMemFree(ptr) free
cuMemFreeAsync(ptr, stream) free launch
cuMemcpyAsync(dst, src, size, stream) copy launch
cuMemcpyDtoDAsync(dst, src, size, stream) copy launch
cuMemcpyDtoHAsync(dst, src, size, stream) copy launch
cuMemcpyHtoDAsync(dst, src, size, stream) copy launch
cuMemcpyDtoD(dst, src, size) copy
cuMemcpyDtoH(dst, src, size) copy sync
cuMemcpyHtoD(dst, src, size) copy
cuMemcpy2D(copy:CUDA_MEMCPY2D) copy
cuMemcpy2DAsync(copy:CUDA_MEMCPY2D, stream) copy launch
cuMemcpy3DAsync(copy:CUDA_MEMCPY3D, stream) copy launch
cuMemsetD8Async(dst, value, count, stream) launch
cuMemsetD32Async(dst, value, count, stream) launch
cuImportExternalMemory(memory*, desc:CUDA_EXTERNAL_MEMORY_HANDLE_DESC) import
cuDestroyExternalMemory(memory) destroy
cuExternalMemoryGetMappedBuffer(ptr*, memory, desc:CUDA_EXTERNAL_MEMORY_BUFFER_DESC) map
cuExternalMemoryGetMappedMipmappedArray(chain*, memory, desc:CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC) map
cuMipmappedArrayGetLevel(array*, chain, level) query
cuMipmappedArrayDestroy(chain) free
cuModuleLoad(module*, path) create
cuModuleLoadData(module*, image) create
cuModuleUnload(module) destroy
cuArrayCreate(array*, desc:CUDA_ARRAY_DESCRIPTOR) create
cuArrayDestroy(array) free
cuTexObjectCreate(texture*, resource:CUDA_RESOURCE_DESC, desc, view) create
cuTexObjectDestroy(texture) destroy
cuSurfObjectCreate(surface*, resource:CUDA_RESOURCE_DESC) create
cuSurfObjectDestroy(surface) destroy
cuImportExternalSemaphore(semaphore*, desc:CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) import
cuDestroyExternalSemaphore(semaphore) destroy
cuSignalExternalSemaphoresAsync(semaphore, params:CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, count, stream) signal launch
cuWaitExternalSemaphoresAsync(semaphore, params:CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, count, stream) wait
cuMemExportToShareableHandle(fd*, memory, handleType, flags) export
cuMemImportFromShareableHandle(memory*, fd, handleType) open
cuMemGetHandleForAddressRange(fd*, ptr, size, handleType, flags) export
cuIpcGetMemHandle(handle*, ptr) export
cuIpcOpenMemHandle(ptr*, handle, flags) open
cuIpcCloseMemHandle(ptr) close
cuIpcGetEventHandle(handle*, event) export
cuIpcOpenEventHandle(event*, handle) open
cuGraphicsGLRegisterImage(resource*, image, target, flags) register
cuGraphicsGLRegisterBuffer(resource*, buffer, flags) register
cuGraphicsEGLRegisterImage(resource*, image, flags) register
cuGraphicsUnregisterResource(resource) unregister
cuGraphicsMapResources(count, resource, stream) map
cuGraphicsUnmapResources(count, resource, stream) unmap
cuGraphicsResourceGetMappedPointer(ptr*, size*, resource) query
cuGraphicsSubResourceGetMappedArray(array*, resource, index, level) query
cuGraphicsResourceGetMappedMipmappedArray(chain*, resource) query
`,
);

export const cuvid = table(
  'cuvid',
  'CUresult',
  `
cuvidMapVideoFrame(decoder, index, ptr*, pitch*, params) map
cuvidMapVideoFrame64(decoder, index, ptr*, pitch*, params) map
cuvidUnmapVideoFrame(decoder, ptr) unmap
cuvidUnmapVideoFrame64(decoder, ptr) unmap
`,
);
