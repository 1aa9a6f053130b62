import { table } from './table';

export const gl = table(
  'gl',
  'void',
  `
glCreateMemoryObjects(count, object*) create
glDeleteMemoryObjects(count, object) destroy
glImportMemoryFd(object, size, handleType, fd) import
glImportMemoryWin32Handle(object, size, handleType, handle) import
glMemoryObjectParameteriv(object, name, value)
glTextureStorageMem2D(texture, levels, format, width, height, object, offset) map
glTexStorageMem2D(target, levels, format, width, height, object, offset) map
glNamedBufferStorageMem(buffer, size, object, offset) map
glGenSemaphores(count, semaphore*) create
glDeleteSemaphores(count, semaphore) destroy
glImportSemaphoreFd(semaphore, handleType, fd) import
glImportSemaphoreWin32Handle(semaphore, handleType, handle) import
glWaitSemaphore(semaphore, bufferCount, buffers, textureCount, textures, layouts) wait
glSignalSemaphore(semaphore, bufferCount, buffers, textureCount, textures, layouts) signal
glFenceSync(condition, flags) create -> handle
glDeleteSync(sync) destroy
glClientWaitSync(sync, flags, timeout) sync
glWaitSync(sync, flags, timeout) wait
glFinish() sync
glFlush() submit
glGenTextures(count, texture*) create
glCreateTextures(target, count, texture*) create
glDeleteTextures(count, texture) destroy
glGenBuffers(count, buffer*) create
glCreateBuffers(count, buffer*) create
glDeleteBuffers(count, buffer) destroy
`,
);

export const egl = table(
  'egl',
  'bool',
  `
eglGetDisplay(native) query -> handle
eglGetPlatformDisplay(platform, device, attributes) query -> handle
eglInitialize(display, major*, minor*) begin
eglTerminate(display) destroy
eglCreateContext(display, config, share, attributes) create -> handle
eglDestroyContext(display, context) destroy
eglMakeCurrent(display, draw, read, context) current
eglGetCurrentContext() query -> handle
eglCreateImage(display, context, target, buffer, attributes) create -> handle
eglDestroyImage(display, image) destroy
eglCreateSync(display, type, attributes) create -> handle
eglDestroySync(display, sync) destroy
eglClientWaitSync(display, sync, flags, timeout) sync
eglDupNativeFenceFDANDROID(display, sync) export dup -> fd
eglQueryDevices(max, devices*, count*) enumerate
eglQueryDeviceAttrib(device, attribute, value*) query
eglQueryDeviceString(device, name) query -> handle
`,
);
