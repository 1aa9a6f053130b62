// Layer 0: does the text name any API of the seam? Everything else costs nothing.
import { scan } from './prefilter-scan';

const stems = new RegExp(
  [
    String.raw`\b_?(?:vk|VK_|Vk|vma|PFN_|pfn|fp)[A-Z]`,
    String.raw`\bvk::|\bVK_`,
    String.raw`\bcu(?:da|vid)?[A-Z]|\bCU[A-Z]|\bcuda|CUDA|<<<`,
    String.raw`\bhip[A-Z]|\bnvml[A-Z]`,
    String.raw`<thrust\/|\bthrust::|\brmm\b`,
    String.raw`[Ee][Gg][Ll]|\bgl(?:Import|Create|Delete|Fence|Wait|Signal|Semaphore|XMake|Map|Unmap|Texture|fwMakeContext)|\b(?:wgl|SDL_GL_)MakeCurrent|\bmake_context_current|\bPFNGL[A-Z]{0,30}(?:SEMAPHORE|MEMORY)`,
    `DLManagedTensor|DLTensor|dltensor|dlpack|cuda_array_interface|nanobind|pybind11`,
    String.raw`\b(?:torch|cupy|warp|ovrtx|ovstage|pycuda|numba)\b|\bunmap\b`,
    `[gG]et(?:Memory|Semaphore|Fence)(?:Fd|Win32)|SCM_RIGHTS|[dD][mM][aA]_?[bB][uU][fF]`,
    String.raw`\bMTL|CVMetal|\bMetal\b`,
    // Suppressions and annotations have to be looked at wherever they are.
    String.raw`\bseamscope(?:-disable-|:)|NOLINT\w*\([^)]*seamscope-`,
  ].join('|'),
);

/** `own`: names that the workspace adds to the tables. */
export function mayTouchSeam(text: string, own?: RegExp): boolean {
  return stems.test(text) || own?.test(text) === true;
}

/** Before a name, for `\b` and an underscore; and after it, as far as any stem but that of NOLINT reaches. */
const around = { before: 2, after: 48 } as const;

/** The same for undecoded bytes: every stem is ASCII, so Latin-1 is good enough and fast. UTF-16 is let through. */
export function bytesMayTouchSeam(bytes: Uint8Array, own?: RegExp): boolean {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return true;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (own?.test(text.toString('latin1')) === true) return true;
  return scan(bytes, (at) => isStem(text, at));
}

function isStem(text: Buffer, at: number): boolean {
  const from = Math.max(0, at - around.before);
  const window = text.toString('latin1', from, Math.min(text.length, at + around.after));
  // The list of a NOLINT has no bound but its end. Other stems behind it come in their turn.
  if (window.startsWith('NOLINT', at - from)) return stems.test(text.toString('latin1', at, listEnd(text, at)));
  return stems.test(window);
}

function listEnd(text: Buffer, at: number): number {
  const end = text.indexOf(')', at);
  return end < 0 ? text.length : end;
}
