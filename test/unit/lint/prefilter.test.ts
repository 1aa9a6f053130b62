// The pre-filter on bytes is the one on texts, only faster.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesMayTouchSeam, mayTouchSeam } from '../../../helper/lint/text/prefilter';

const names = [
  ...[
    'vkCreateDevice',
    '_vkMap',
    'VK_SUCCESS',
    '_VK_X',
    'VkDevice',
    'vmaMap',
    'PFN_X',
    'pfnX',
    'fpX',
    'vk::Device',
    'cuInit',
    'cudaFree',
    'cuvidX',
    'CUDARTAPI',
  ],
  ...[
    'cuda_x',
    'MYCUDA',
    'f<<<1, 2>>>',
    'hipFree',
    'nvmlInit',
    '<thrust/x>',
    'thrust::copy',
    'rmm::x',
    'eglX',
    'EGLImage',
    'myEgl',
    'glImportX',
    'glUnmapX',
    'glSemaphoreX',
    'PFNGLSIGNALSEMAPHOREEXTPROC',
    'PFNGLCREATEMEMORYOBJECTSEXTPROC',
    'glfwMakeContextCurrent',
    'wglMakeCurrent',
    'SDL_GL_MakeCurrent',
    'glfw.make_context_current',
  ],
  ...[
    'DLManagedTensor',
    'DLTensor',
    'dltensor',
    '__dlpack__',
    '__cuda_array_interface__',
    'nanobind',
    'pybind11',
    'torch.x',
    'cupy',
    'warp',
    'ovrtx',
    'ovstage',
  ],
  ...[
    'pycuda',
    'numba',
    'x.unmap()',
    'getMemoryFdKHR',
    'vkGetSemaphoreFd',
    'getFenceWin32',
    'SCM_RIGHTS',
    'dmabuf',
    'DMA_BUF',
    'dma_buf',
    'MTLDevice',
    'CVMetalX',
  ],
  ...['Metal', '// seamscope-disable-line', '# seamscope: x', `NOLINT(${'a, '.repeat(40)}seamscope-x)`, 'NOLINTNEXTLINE(seamscope-*)'],
];
const strangers = [
  'vector',
  'iterator',
  'get',
  'getSize',
  'current',
  'number',
  'NOLINT(x)',
  'search',
  'vka',
  'xcudA',
  'metal',
  'swarp',
  'cur',
  'runmap',
  'unmapped',
  'glfwMaximizeWindow',
  'make_container',
  // Looked at because of what follows, and then not from the beginning of the word.
  'avkX glWx',
  'NOLINT(x) seamscope-y',
];

const bytesOf = (text: string) => Buffer.from(text, 'latin1');

it.each(names)('finds %s wherever it stands', (name) => {
  for (const text of [name, ` ${name}`, `a\n${name}\n`, `${'int x = get(vector);\n'.repeat(20)}(${name}`]) {
    expect(mayTouchSeam(text), text).toBe(true);
    expect(bytesMayTouchSeam(bytesOf(text)), text).toBe(true);
  }
});

it.each(strangers)('passes over %s', (name) => {
  for (const text of [name, ` ${name};`, `f(${name})`]) expect([mayTouchSeam(text), bytesMayTouchSeam(bytesOf(text))], text).toEqual([false, false]);
});

it('says the same of bytes and of texts', () => {
  const piece = fc.oneof(fc.constantFrom(...names, ...strangers), fc.string({ maxLength: 6 }), fc.constantFrom('_', '.', ' ', 'x', 'É', '\n'));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.nat(6), (pieces, cut) => {
      const bytes = bytesOf(pieces.join('').slice(cut));
      expect(bytesMayTouchSeam(bytes)).toBe(mayTouchSeam(bytes.toString('latin1')));
    }),
    { numRuns: 3000, seed: 5 },
  );
});

it("finds the workspace's own names too", () => {
  expect(bytesMayTouchSeam(bytesOf('takeFd(x);'), /\btakeFd\b/)).toBe(true);
  expect(bytesMayTouchSeam(bytesOf('giveFd(x);'), /\btakeFd\b/)).toBe(false);
});
