/** Why a file cannot be a native addon for this process, told from its first bytes. */
import { closeSync, openSync, readSync } from 'node:fs';
import process from 'node:process';

const ELF_MACHINES: Record<number, string> = { 3: 'ia32', 40: 'arm', 62: 'x64', 183: 'arm64', 243: 'riscv64', 21: 'ppc64' };
const MACH_O_MAGICS = [0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe];

/** One phrase, or null when the file looks right. */
export function describeForeignFile(file: string): string | null {
  const head = readHead(file);
  if (head.length < 20) return `is too short to be a library (${head.length} bytes)`;
  if (head.readUInt32BE(0) === 0x7f454c46) return describeForeignElf(head);
  if (MACH_O_MAGICS.includes(head.readUInt32BE(0))) return platformPhrase('macOS');
  if (head.toString('latin1', 0, 2) === 'MZ') return platformPhrase('Windows');
  return 'is not a library';
}

function describeForeignElf(head: Buffer): string | null {
  const machine = head[5] === 2 ? head.readUInt16BE(18) : head.readUInt16LE(18);
  const arch = ELF_MACHINES[machine] ?? `ELF machine ${machine}`;
  return process.platform === 'linux' && arch === process.arch ? null : platformPhrase(`Linux ${arch}`);
}

function platformPhrase(built: string): string {
  return `is built for ${built}, this is ${process.platform} ${process.arch}`;
}

function readHead(file: string): Buffer {
  const fd = openSync(file, 'r');
  try {
    const head = Buffer.alloc(64);
    return head.subarray(0, readSync(fd, head, 0, head.length, 0));
  } finally {
    closeSync(fd);
  }
}
