// What must stand while a call is made: the call that ends it, and the calls that need it, found by parameter or by family.

/** How a dependant names what it needs. */
export type Tie =
  /** The parameter of this name is the same path. */
  | { readonly by: 'param'; readonly param: string }
  /** Both hang on one object: `a.x` and `a.y`, or fields of the same class. */
  | { readonly by: 'owner' }
  /** There is one current thing for each thread. */
  | { readonly by: 'thread' };

export interface Parent {
  /** The call that ends it, and the parameter that names it. */
  readonly end: RegExp;
  readonly param: string;
  readonly needs: RegExp;
  readonly tie: Tie;
  /** Calls after which the dependants stand on something else again. */
  readonly renewed?: RegExp;
  /** Only in a file that calls this. */
  readonly where?: RegExp;
  readonly what: string;
  /** Ends that a thread puts off as long as the thing is current there: EGL 1.5, sections 3.2 and 3.7.1, and GLX 1.4, section 3.3.7. */
  readonly keptWhileCurrent?: RegExp;
  /** The dependant's end alone needs nothing that is documented: it matters whether it is used in between. */
  readonly onlyUse?: boolean;
}

const glDeletes = /^glDelete(?!r)/;
const glContextNew =
  /^(egl|glX|wgl|glfw|SDL_GL_)\w*Make\w*Current$|^(eglCreateContext|glXCreate\w*Context\w*|wglCreateContext\w*|SDL_GL_CreateContext)$/;
const keptWhileCurrent = /^(eglDestroyContext|glXDestroyContext|eglTerminate)$/;

export const parents: readonly Parent[] = [
  {
    end: /^((cuda|hip)Free(Mipmapped)?Array|cu(Mipmapped)?ArrayDestroy)$/,
    param: 'chain|array',
    needs: /^((cuda|hip)Destroy(Texture|Surface)Object|cu(Tex|Surf)ObjectDestroy)$/,
    tie: { by: 'owner' },
    what: 'the array',
    onlyUse: true,
  },
  {
    end: /^vkDestroyDevice$/,
    param: 'device',
    needs: /^vk(Destroy(?!Device$|Instance$|Surface$|Debug)|Free|Unmap|\w*Wait|Reset|Get)/,
    tie: { by: 'param', param: 'device' },
    what: 'the device',
  },
  {
    end: /^vkDestroyInstance$/,
    param: 'instance',
    needs: /^vkDestroy(Surface|DebugUtilsMessenger|DebugReportCallback)$/,
    tie: { by: 'param', param: 'instance' },
    what: 'the instance',
  },
  { end: /^vkDestroyInstance$/, param: 'instance', needs: /^vkDestroyDevice$/, tie: { by: 'owner' }, what: 'the instance' },
  { end: /^vkDestroyCommandPool$/, param: 'pool', needs: /^vkFreeCommandBuffers$/, tie: { by: 'param', param: 'pool' }, what: 'the command pool' },
  {
    end: /^vkDestroyDescriptorPool$/,
    param: 'pool',
    needs: /^vkFreeDescriptorSets$/,
    tie: { by: 'param', param: 'pool' },
    what: 'the descriptor pool',
  },
  { end: /^vkDestroySurface$/, param: 'surface', needs: /^vkDestroySwapchain$/, tie: { by: 'owner' }, what: 'the surface' },
  {
    end: /^vkDestroySwapchain$/,
    param: 'swapchain',
    needs: /^vk(QueuePresent|AcquireNextImage)$/,
    tie: { by: 'param', param: 'swapchain' },
    what: 'the swapchain',
  },
  {
    end: /^vmaDestroyAllocator$/,
    param: 'allocator',
    needs: /^vma(Destroy(?!Allocator)|Free|Unmap)/,
    tie: { by: 'param', param: 'allocator' },
    what: 'the allocator',
  },
  { end: /^vkDestroyDevice$/, param: 'device', needs: /^vma(Destroy|Free)/, tie: { by: 'owner' }, what: 'the device' },
  {
    end: /^(eglDestroyContext|glXDestroyContext|wglDeleteContext|SDL_GL_(Delete|Destroy)Context|glfwDestroyWindow)$/,
    param: 'context',
    needs: /^(cu|cuda|hip)GraphicsUn(register|map)Resources?$/,
    tie: { by: 'thread' },
    renewed: glContextNew,
    what: 'the GL context',
    keptWhileCurrent,
  },
  {
    end: /^(eglDestroyContext|glXDestroyContext|wglDeleteContext|SDL_GL_(Delete|Destroy)Context|glfwDestroyWindow|glfwTerminate)$/,
    param: 'context',
    needs: glDeletes,
    tie: { by: 'thread' },
    renewed: glContextNew,
    what: 'the GL context',
    keptWhileCurrent,
  },
  {
    end: /^eglTerminate$/,
    param: 'display',
    needs: /^eglDestroy/,
    tie: { by: 'param', param: 'display' },
    renewed: /^eglInitialize$/,
    what: 'the EGL display',
    onlyUse: true,
  },
  {
    end: /^eglTerminate$/,
    param: 'display',
    needs: /^(cu|cuda|hip)GraphicsUn(register|map)Resources?$|^glDelete(?!r)/,
    tie: { by: 'thread' },
    renewed: /^eglInitialize$|MakeCurrent$/,
    what: 'the EGL display',
    keptWhileCurrent,
  },
  {
    end: /^(eglDestroyImage|NvDestroyEGLImage|NvBufSurfaceUnMapEglImage)$/,
    param: 'image|surface',
    needs: /^(cu|cuda|hip)GraphicsUnregisterResource$/,
    tie: { by: 'owner' },
    renewed: /^(cu|cuda|hip)Graphics\w*Register\w+$/,
    where: /^(cu|cuda|hip)GraphicsEGLRegisterImage$/,
    what: 'the EGL image',
  },
  { end: /^glfwDestroyWindow$/, param: 'context', needs: /^vkDestroySurface$/, tie: { by: 'owner' }, what: 'the window' },
  { end: /^SDL_DestroyWindow$/, param: 'window', needs: /^vkDestroySurface$/, tie: { by: 'owner' }, what: 'the window' },
  { end: /^glfwTerminate$/, param: '', needs: /^glfwDestroyWindow$/, tie: { by: 'thread' }, renewed: /^glfwInit$/, what: 'GLFW', onlyUse: true },
  {
    end: /^(cuda|hip)DeviceReset$/,
    param: '',
    needs: /^(cuda|hip)(Free|Destroy|StreamDestroy|EventDestroy|GraphicsUnregister)/,
    tie: { by: 'thread' },
    renewed: /^(cuda|hip)(SetDevice|Malloc|StreamCreate|EventCreate|Import|Create|GraphicsGLRegister)/,
    what: 'the CUDA context',
  },
  {
    end: /^cuCtxDestroy$/,
    param: 'context',
    needs:
      /^cu(MemFree|StreamDestroy|EventDestroy|ModuleUnload|ArrayDestroy|MipmappedArrayDestroy|DestroyExternal\w+|TexObjectDestroy|SurfObjectDestroy|GraphicsUnregisterResource)$/,
    tie: { by: 'thread' },
    renewed: /^cuCtx(Create|PushCurrent|SetCurrent|PopCurrent)$|^cuDevicePrimaryCtxRetain$/,
    what: 'the CUDA context',
  },
];
