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
glSemaphoreParameterui64v(semaphore, name, value)
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
glGenFramebuffers(count, framebuffer*) create
glCreateFramebuffers(count, framebuffer*) create
glDeleteFramebuffers(count, framebuffer) destroy
glGenRenderbuffers(count, renderbuffer*) create
glDeleteRenderbuffers(count, renderbuffer) destroy
glGenVertexArrays(count, vertexArray*) create
glCreateVertexArrays(count, vertexArray*) create
glDeleteVertexArrays(count, vertexArray) destroy
glCreateProgram() create -> handle
glDeleteProgram(program) destroy
glCreateShader(type) create -> handle
glDeleteShader(shader) destroy
glGenQueries(count, query*) create
glDeleteQueries(count, query) destroy
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
eglCreateWindowSurface(display, config, window, attributes) create -> handle
eglCreatePbufferSurface(display, config, attributes) create -> handle
eglDestroySurface(display, surface) destroy
eglReleaseThread() current
eglMakeCurrent(display, draw, read, context) current
eglGetCurrentContext() query -> handle
eglCreateImage(display, context, target, buffer, attributes) create -> handle
eglDestroyImage(display, image) destroy
NvDestroyEGLImage(display, image) destroy
NvBufSurfaceMapEglImage(surface, index) map -> errno
NvBufSurfaceUnMapEglImage(surface, index) unmap -> errno
eglCreateSync(display, type, attributes) create -> handle
eglDestroySync(display, sync) destroy
eglClientWaitSync(display, sync, flags, timeout) sync
eglWaitSync(display, sync, flags) wait
eglGetSyncAttrib(display, sync, attribute, value*) query
eglDupNativeFenceFDANDROID(display, sync) export dup -> fd
eglQueryDevices(max, devices*, count*) enumerate
eglQueryDeviceAttrib(device, attribute, value*) query
eglQueryDeviceString(device, name) query -> handle
`,
);

/** Window systems and window libraries, as far as they make GL contexts current or own what a context or surface hangs on. */
export const windows = table(
  'gl',
  'void',
  `
glXCreateContext(display, visual, share, direct) create -> handle
glXCreateContextAttribs(display, config, share, direct, attributes) create -> handle
glXCreateNewContext(display, config, type, share, direct) create -> handle
glXDestroyContext(display, context) destroy
glXMakeCurrent(display, draw, context) current -> bool
glXMakeContextCurrent(display, draw, read, context) current -> bool
glXGetCurrentContext() query -> handle
wglCreateContext(draw) create -> handle
wglCreateContextAttribs(draw, share, attributes) create -> handle
wglDeleteContext(context) destroy -> bool
wglMakeCurrent(draw, context) current -> bool
wglGetCurrentContext() query -> handle
glfwInit() begin -> bool
glfwTerminate() destroy
glfwCreateWindow(width, height, title, monitor, share) create -> handle
glfwDestroyWindow(context) destroy
glfwMakeContextCurrent(context) current
glfwGetCurrentContext() query -> handle
glfwCreateWindowSurface(instance, window, allocator, surface*) create -> VkResult
SDL_CreateWindow(title, width, height, flags) create -> handle
SDL_DestroyWindow(window) destroy
SDL_GL_CreateContext(window) create -> handle
SDL_GL_DeleteContext(context) destroy
SDL_GL_DestroyContext(context) destroy
SDL_GL_MakeCurrent(window, context) current -> handle
SDL_GL_GetCurrentContext() query -> handle
`,
);

/** Buffers of the kernel as descriptors. None of these calls adopts one that it is given. */
export const drm = table(
  'posix',
  'errno',
  `
gbm_bo_get_fd(bo) export -> fd
gbm_bo_get_fd_for_plane(bo, plane) export -> fd
gbm_bo_import(gbm, type, data, usage) open -> handle
drmPrimeHandleToFD(device, handle, flags, fd*) export
drmPrimeFDToHandle(device, fd, handle*) open
zwp_linux_buffer_params_v1_add(params, fd, plane, offset, stride, high, low) -> void
zwp_linux_surface_synchronization_v1_set_acquire_fence(synchronization, fd) -> void
wp_linux_drm_syncobj_manager_v1_import_timeline(manager, fd) open -> handle
drmModeAtomicAddProperty(request, object, property, fd)
drmModeObjectSetProperty(device, object, type, property, fd)
drmSyncobjHandleToFD(device, handle, fd*) export
drmSyncobjFDToHandle(device, fd, handle*) open
drmSyncobjExportSyncFile(device, handle, fd*) export
drmSyncobjImportSyncFile(device, handle, fd) update
sync_merge(name, fd, other) export -> fd
sync_wait(fd, timeout) sync
`,
);
