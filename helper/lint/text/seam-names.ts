// Does a function that does not parse have to do with the seam? Stricter than the pre-filter, which may be wrong where it costs nothing: here
// somebody is told that something was not checked.
import { tokenize } from './tokens';

const names = new RegExp(
  [
    '_?(?:vk|Vk|vma|Vma|PFN_vk|cu|cuda|hip|nvml|egl|EGL)[A-Z]',
    'VK_|CU[a-z_]|CUDA_[A-Z]|EGL_|PFNEGL|PFNGL[A-Z]*(?:SEMAPHORE|MEMORY)',
    '(?:vk|thrust|rmm|wil|torch|cupy|nanobind|pybind11)$',
    'gl(?:Import|Semaphore|Fence|.*(?:Signal|Wait)Semaphore|.*MemoryObject)|DL(?:Managed)?Tensor|SCM_RIGHTS',
  ]
    .map((each) => `^(?:${each})`)
    .join('|'),
);
const within = /[gG]et(?:Memory|Semaphore|Fence)(?:Fd|Win32)|[dD][mM][aA]_?[bB][uU][fF]/;

/** By a word that is no part of a comment, a string or the definition of a macro. */
export function namesSeam(code: string): boolean {
  const bare = code.replace(/^[ \t]*#(?:\\\r?\n|[^\n])*/gm, '');
  return bare.includes('<<<') || tokenize(bare).some(({ kind, text }) => kind === 'word' && (names.test(text) || within.test(text)));
}
