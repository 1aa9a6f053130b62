import { table } from './table';

export const cudaRuntime = table(
  'cuda-runtime',
  'cudaError',
  `
cudaSetDevice(ordinal) current
cudaGLSetGLDevice(ordinal) current
cudaGetDevice(ordinal*) query
cudaGetDeviceCount(count*) enumerate
cudaGetDeviceProperties(properties*, ordinal) query
cudaDeviceGetByPCIBusId(ordinal*, id) query
cudaDeviceGetPCIBusId(id*, length, ordinal) query
cudaDeviceSynchronize() sync
cudaDeviceReset() destroy
cudaStreamCreate(stream*) create
cudaStreamCreateWithFlags(stream*, flags) create
cudaStreamCreateWithPriority(stream*, flags, priority) create
cudaStreamDestroy(stream) destroy
cudaStreamSynchronize(stream) sync
cudaStreamQuery(stream) query
cudaStreamWaitEvent(stream, event, flags) wait
cudaEventCreate(event*) create
cudaEventCreateWithFlags(event*, flags) create
cudaEventDestroy(event) destroy
cudaEventRecord(event, stream) record
cudaEventRecordWithFlags(event, stream, flags) record
cudaEventSynchronize(event) sync
cudaEventQuery(event) query
cudaLaunchKernel(function, grid, block, args, shared, stream) launch
cudaLaunchHostFunc(stream, callback, data) launch
cudaMalloc(ptr*, size) alloc
cudaMallocAsync(ptr*, size, stream) alloc launch
cudaMallocHost(ptr*, size) alloc
cudaHostAlloc(ptr*, size, flags) alloc
cudaMallocManaged(ptr*, size, flags) alloc
cudaMallocPitch(ptr*, pitch*, width, height) alloc
cudaMallocArray(array*, format, width, height, flags) alloc
cudaFree(ptr) free
cudaFreeAsync(ptr, stream) free launch
cudaFreeHost(ptr) free
cudaFreeArray(array) free
cudaFreeMipmappedArray(chain) free
cudaMemcpy(dst, src, size, kind) copy sync
cudaMemcpyAsync(dst, src, size, kind, stream) copy launch
cudaMemcpy2D(dst, dstPitch, src, srcPitch, width, height, kind) copy sync
cudaMemcpy2DAsync(dst, dstPitch, src, srcPitch, width, height, kind, stream) copy launch
cudaMemcpy2DToArray(dst, wOffset, hOffset, src, pitch, width, height, kind) copy sync
cudaMemcpy2DToArrayAsync(dst, wOffset, hOffset, src, pitch, width, height, kind, stream) copy launch
cudaMemcpy2DFromArray(dst, pitch, src, wOffset, hOffset, width, height, kind) copy sync
cudaMemcpy2DFromArrayAsync(dst, pitch, src, wOffset, hOffset, width, height, kind, stream) copy launch
cudaMemcpyPeerAsync(dst, dstOrdinal, src, srcOrdinal, size, stream) copy launch
cudaMemcpy3DAsync(params, stream) copy launch
cudaMemset(dst, value, size) launch
cudaMemsetAsync(dst, value, size, stream) launch
cudaMemset2DAsync(dst, pitch, value, width, height, stream) launch
cudaImportExternalMemory(memory*, desc:cudaExternalMemoryHandleDesc) import
cudaDestroyExternalMemory(memory) destroy
cudaExternalMemoryGetMappedBuffer(ptr*, memory, desc:cudaExternalMemoryBufferDesc) map
cudaExternalMemoryGetMappedMipmappedArray(chain*, memory, desc:cudaExternalMemoryMipmappedArrayDesc) map
cudaGetMipmappedArrayLevel(array*, chain, level) query
cudaCreateTextureObject(texture*, resource:cudaResourceDesc, desc, view) create
cudaDestroyTextureObject(texture) destroy
cudaCreateSurfaceObject(surface*, resource:cudaResourceDesc) create
cudaDestroySurfaceObject(surface) destroy
cudaImportExternalSemaphore(semaphore*, desc:cudaExternalSemaphoreHandleDesc) import
cudaDestroyExternalSemaphore(semaphore) destroy
cudaSignalExternalSemaphoresAsync(semaphore, params:cudaExternalSemaphoreSignalParams, count, stream) signal launch
cudaWaitExternalSemaphoresAsync(semaphore, params:cudaExternalSemaphoreWaitParams, count, stream) wait
cudaIpcGetMemHandle(handle*, ptr) export
cudaIpcOpenMemHandle(ptr*, handle, flags) open
cudaIpcCloseMemHandle(ptr) close
cudaIpcGetEventHandle(handle*, event) export
cudaIpcOpenEventHandle(event*, handle) open
cudaGraphicsGLRegisterImage(resource*, image, target, flags) register
cudaGraphicsGLRegisterBuffer(resource*, buffer, flags) register
cudaGraphicsUnregisterResource(resource) unregister
cudaGraphicsMapResources(count, resource, stream) map
cudaGraphicsUnmapResources(count, resource, stream) unmap
cudaGraphicsResourceGetMappedPointer(ptr*, size*, resource) query
cudaGraphicsSubResourceGetMappedArray(array*, resource, index, level) query
cudaGraphicsResourceGetMappedMipmappedArray(chain*, resource) query
`,
);
