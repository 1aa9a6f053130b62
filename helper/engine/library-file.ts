/** Why a file cannot be a native addon for this process, told from its headers: mapping a file that is cut off ends in SIGBUS. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import process from 'node:process';

const ELF_MACHINES: Record<number, string> = { 3: 'ia32', 40: 'arm', 62: 'x64', 183: 'arm64', 243: 'riscv64', 21: 'ppc64' };
const MACH_O_MAGICS = [0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe];
const ELF_HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const SHARED_OBJECT = 3;
const SEGMENT_LOAD = 1;
const SEGMENT_INTERPRETER = 3;

/** One phrase, or null when the file looks right. */
export function describeForeignFile(file: string): string | null {
  const fd = openSync(file, 'r');
  try {
    const stat = fstatSync(fd);
    return stat.isFile() ? describeContent(fd, stat.size) : 'is not a file';
  } finally {
    closeSync(fd);
  }
}

function describeContent(fd: number, size: number): string | null {
  const head = readAt(fd, 0, ELF_HEADER_BYTES);
  if (head.length < 20) return `is too short to be a library (${head.length} bytes)`;
  if (head.readUInt32BE(0) === 0x7f454c46) return describeForeignElf(head) ?? describeElf(fd, head, size);
  if (MACH_O_MAGICS.includes(head.readUInt32BE(0))) return platformPhrase('macOS');
  if (head.toString('latin1', 0, 2) === 'MZ') return platformPhrase('Windows');
  return 'is not a library';
}

function describeForeignElf(head: Buffer): string | null {
  const machine = head[5] === 2 ? head.readUInt16BE(18) : head.readUInt16LE(18);
  const arch = ELF_MACHINES[machine] ?? `ELF machine ${machine}`;
  return process.platform === 'linux' && arch === process.arch ? null : platformPhrase(`Linux ${arch}`);
}

/** 64 bits, little endian, of this machine. */
function describeElf(fd: number, head: Buffer, size: number): string | null {
  const cutOff = (promised: number) => `is cut off: it has ${size} bytes, its headers name ${promised}`;
  if (head.length < ELF_HEADER_BYTES) return cutOff(ELF_HEADER_BYTES);
  if (head.readUInt16LE(16) !== SHARED_OBJECT) return 'is not a shared library';
  const [segmentsAt, sectionsAt] = [Number(head.readBigUInt64LE(32)), Number(head.readBigUInt64LE(40))];
  const [segmentCount, sectionBytes, sectionCount] = [head.readUInt16LE(56), head.readUInt16LE(58), head.readUInt16LE(60)];
  const tables = Math.max(segmentsAt + segmentCount * SEGMENT_BYTES, sectionsAt + sectionCount * sectionBytes);
  if (tables > size) return cutOff(tables);
  const table = readAt(fd, segmentsAt, segmentCount * SEGMENT_BYTES);
  const segments = Array.from({ length: segmentCount }, (_, i) => table.subarray(i * SEGMENT_BYTES, (i + 1) * SEGMENT_BYTES));
  if (segments.some((segment) => segment.readUInt32LE(0) === SEGMENT_INTERPRETER)) return 'is a program, not a library';
  const ends = segments.filter((segment) => segment.readUInt32LE(0) === SEGMENT_LOAD).map(endOf);
  const end = Math.max(0, ...ends);
  return end > size ? cutOff(end) : null;
}

function endOf(segment: Buffer): number {
  return Number(segment.readBigUInt64LE(8)) + Number(segment.readBigUInt64LE(32));
}

function platformPhrase(built: string): string {
  return `is built for ${built}, this is ${process.platform} ${process.arch}`;
}

function readAt(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
}
