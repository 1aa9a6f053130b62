// The pre-filter on bytes. Three bytes decide whether a name of the seam may begin; only then the patterns are asked, and only about the
// text around. That is several times faster than the patterns alone.

/** Beginnings of what the pre-filter looks for, as three characters: `A` stands for any capital letter. */
const atWords = [
  ...[
    'vkA',
    'vk:',
    'VK_',
    'VkA',
    'vma',
    'PFN',
    'pfn',
    'fpA',
    'cuA',
    'cud',
    'cuv',
    'CUA',
    'hip',
    'nvm',
    'thr',
    'rmm',
    'glA',
    'tor',
    'cup',
    'war',
    'ovr',
    'ovs',
  ],
  ...['pyc', 'num', 'unm', 'MTL', 'Met', 'sea'],
];
const anywhere = ['CUD', 'cud', '<<<', '<th', 'egl', 'DLM', 'DLT', 'dlt', 'dlp', 'nan', 'pyb', 'SCM', 'dma', 'CVM', 'NOL'];
/** `getMemoryFd` and its kin: getters are too common to look at each. */
const getter = 'get';

const none = 0;
const word = 1;
const any = 2;
const get = 3;

/** Five bits of each character: letters without their case. */
function indexOf(a: number, b: number, c: number): number {
  return ((a & 31) << 10) | ((b & 31) << 5) | (c & 31);
}

function tableOf(): Uint8Array {
  const table = new Uint8Array(1 << 15);
  const set = (lead: string, value: number) => {
    const [a, b] = [lead.charCodeAt(0), lead.charCodeAt(1)];
    const last = lead[2] === 'A' ? Array.from({ length: 26 }, (_, i) => 65 + i) : [lead.charCodeAt(2)];
    for (const c of last) table[indexOf(a, b, c)] = Math.max(value, table[indexOf(a, b, c)]!);
  };
  for (const lead of atWords) set(lead, word);
  for (const lead of anywhere) set(lead, any);
  set(getter, get);
  return table;
}

const table = tableOf();
const isLetter = Uint8Array.from({ length: 256 }, (_, c) => (/[A-Za-z0-9]/.test(String.fromCharCode(c)) ? 1 : 0));

/** True when `isSeam` says so of a place where a name may begin. */
export function scan(bytes: Uint8Array, isSeam: (at: number) => boolean): boolean {
  const end = bytes.length - 2;
  let a = bytes[0]!;
  let b = bytes[1]!;
  let before = 0;
  for (let i = 0; i < end; i++) {
    const c = bytes[i + 2]!;
    const kind = table[((a & 31) << 10) | ((b & 31) << 5) | (c & 31)]!;
    if (kind !== none && mayBegin(kind, before, bytes[i + 3]!) && isSeam(i)) return true;
    before = a;
    a = b;
    b = c;
  }
  return false;
}

function mayBegin(kind: number, before: number, fourth: number): boolean {
  if (kind === word) return isLetter[before] === 0;
  return kind === any || fourth === 77 || fourth === 83 || fourth === 70;
}
