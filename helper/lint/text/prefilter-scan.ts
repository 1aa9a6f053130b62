// The pre-filter on bytes. Three bytes decide whether a name of the seam may begin, then more of them; only then the patterns are asked, and
// only about the text around. That is several times faster than the patterns alone.

/** Beginnings of what the pre-filter looks for: `^` stands for any capital letter. Without its kind, a beginning is longer for no file passes. */
const atWords =
  'vk^ vk:: VK_ Vk^ vma^ PFN_ PFNGL pfn^ fp^ cu^ cuda cuvid^ CU^ hip^ nvml^ thrust:: rmm glI glC glD glF glW glS glX glM glU glT glfwM wglM SDL_GL_M make_co torch cupy warp ovrtx ' +
  'ovstage pycuda numba unmap MTL Metal seamscope';
const anywhere = 'CUDA cuda_array_interface <<< <thrust/ DLM DLT dltensor dlpack nanobind pybind11 SCM_RIGHTS CVMetal NOLINT';
/** In any case. */
const anyCase = 'egl dmabuf dma_buf getmemory getsemaphore getfence';

interface Lead {
  readonly bytes: Uint8Array;
  readonly atWord: boolean;
  readonly anyCase: boolean;
}

const capital = 94;

function leadsOf(words: string, atWord: boolean, anyCase: boolean): Lead[] {
  return words.split(' ').map((word) => ({ bytes: Uint8Array.from(word, (c) => c.charCodeAt(0)), atWord, anyCase }));
}

const leads = [...leadsOf(atWords, true, false), ...leadsOf(anywhere, false, false), ...leadsOf(anyCase, false, true)];

/** Five bits of each character, letters without their case, to one more than the place in `slots`. */
const table = new Uint8Array(1 << 15);
/** Leads that may begin with the same three bytes. */
const slots: (readonly Lead[])[] = [];

function fill(): void {
  const byKey = new Map<number, Lead[]>();
  for (const lead of leads) {
    const [a, b, third] = [lead.bytes[0]!, lead.bytes[1]!, lead.bytes[2]!];
    const last = third === capital ? Array.from({ length: 26 }, (_, i) => 65 + i) : [third];
    for (const c of last) {
      const key = ((a & 31) << 10) | ((b & 31) << 5) | (c & 31);
      byKey.set(key, [...(byKey.get(key) ?? []), lead]);
    }
  }
  for (const [key, of] of byKey) table[key] = slots.push(of);
}

fill();

const isLetter = Uint8Array.from({ length: 256 }, (_, c) => (/[A-Za-z0-9]/.test(String.fromCharCode(c)) ? 1 : 0));

/** True when `isSeam` says so of a place where a name may begin. */
export function scan(bytes: Uint8Array, isSeam: (at: number) => boolean): boolean {
  const { length } = bytes;
  let key = 0;
  for (let i = 0; i < length; i++) {
    key = ((key << 5) | (bytes[i]! & 31)) & 0x7fff;
    const slot = table[key]!;
    if (slot !== 0 && mayBegin(bytes, i - 2, slots[slot - 1]!) && isSeam(i - 2)) return true;
  }
  return false;
}

function mayBegin(bytes: Uint8Array, at: number, of: readonly Lead[]): boolean {
  if (at < 0) return false;
  const behindWord = at > 0 && isLetter[bytes[at - 1]!] === 1;
  for (const lead of of) if (!(behindWord && lead.atWord) && beginsWith(bytes, at, lead)) return true;
  return false;
}

function beginsWith(bytes: Uint8Array, at: number, { bytes: wanted, anyCase }: Lead): boolean {
  for (let i = 0; i < wanted.length; i++) {
    const c = bytes[at + i]!;
    const want = wanted[i]!;
    if (want === capital ? c < 65 || c > 90 : want !== c && (!anyCase || want !== (c | 32))) return false;
  }
  return true;
}
