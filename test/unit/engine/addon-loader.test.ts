import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { addonCandidates, loadAddon, staleness } from '../../../helper/engine/addon-loader';
import type { UserError } from '../../../helper/engine/user-error';
import { EngineErrorCode } from '../../../helper/protocol/errors';
import { STAND_IN } from './harness';

const dir = mkdtempSync(path.join(tmpdir(), 'seamscope-loader-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function file(name: string, content: Uint8Array | string): string {
  const at = path.join(dir, name);
  writeFileSync(at, content);
  return at;
}

function elf(machine: number, endian: 'LE' | 'BE' = 'LE'): Buffer {
  const head = Buffer.alloc(64);
  head.set([0x7f, 0x45, 0x4c, 0x46, 2, endian === 'LE' ? 1 : 2, 1]);
  if (endian === 'LE') head.writeUInt16LE(machine, 18);
  else head.writeUInt16BE(machine, 18);
  return head;
}

/** 200 bytes that begin like a shared library with one segment. `load`: where the segment ends; `sections`: where its table does. */
function sharedObject({ load = 100, sections = 0, interpreter = false }: { load?: number; sections?: number; interpreter?: boolean }): Buffer {
  const bytes = Buffer.concat([elf(thisMachine), Buffer.alloc(136)]);
  bytes.writeUInt16LE(3, 16);
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(1, 56);
  if (sections > 0) {
    bytes.writeBigUInt64LE(BigInt(sections - 64), 40);
    bytes.writeUInt16LE(64, 58);
    bytes.writeUInt16LE(1, 60);
  }
  bytes.writeUInt32LE(interpreter ? 3 : 1, 64);
  bytes.writeBigUInt64LE(BigInt(load), 64 + 32);
  return bytes;
}

function failure(...candidates: string[]): UserError {
  try {
    loadAddon(candidates);
  } catch (error) {
    return error as UserError;
  }
  throw new Error('the addon was loaded');
}

const otherMachine = process.arch === 'arm64' ? 62 : 183;
const thisMachine = process.arch === 'arm64' ? 183 : 62;

describe('loadAddon', () => {
  it('takes the first candidate that loads', () => {
    const broken = file('first.node', 'text');
    expect(loadAddon([path.join(dir, 'absent.node'), broken, STAND_IN]).path).toBe(STAND_IN);
  });

  it.each([
    ['absent', null, /does not exist/],
    ['empty', '', /is too short to be a library \(0 bytes\)/],
    ['a text file', 'this is a readme, not a library at all', /is not a library/],
    ['of another machine', elf(otherMachine), /is built for Linux (arm64|x64), this is/],
    ['of a big-endian machine', elf(21, 'BE'), /is built for Linux ppc64/],
    ['of macOS', Buffer.concat([Buffer.from([0xcf, 0xfa, 0xed, 0xfe]), Buffer.alloc(60)]), /is built for macOS/],
    ['of Windows', Buffer.concat([Buffer.from('MZ'), Buffer.alloc(62)]), /is built for Windows/],
    ['only a header', elf(thisMachine), /is not a shared library/],
    ['cut off in its tables', sharedObject({ sections: 5000 }), /is cut off: it has 200 bytes, its headers name 5000/],
    ['cut off in a segment', sharedObject({ load: 9000 }), /is cut off: it has 200 bytes, its headers name 9000/],
    ['a program', sharedObject({ interpreter: true }), /is a program, not a library/],
    ['a library without anything in it', sharedObject({}), /failed to load: /],
  ])('refuses a file that is %s', (name, content, reason) => {
    const at = path.join(dir, `${name}.node`);
    if (content !== null) writeFileSync(at, content);
    const error = failure(at);
    expect(error.message).toMatch(reason);
    expect(error.message).toContain(at);
    expect(error.message).not.toContain('\n');
    expect(error).toMatchObject({ code: EngineErrorCode.addonMissing, nextStep: expect.stringMatching(/npm run build/) });
  });

  it.each([
    ['another protocol version', 'module.exports = { protocolVersion: 99 }', /speaks protocol version 99, this engine speaks 1/],
    ['functions missing', 'module.exports = { protocolVersion: 1, nvml() {} }', /lacks takeStdout, probe, nvmlClose, openScene/],
    [
      'libturbojpeg missing',
      'throw new Error("libturbojpeg.so.0: cannot open shared object file: No such file or directory")',
      /needs libturbojpeg.so.0, which is neither beside it nor installed/,
    ],
    [
      'another library missing',
      'throw new Error("libstdc++.so.6: cannot open shared object file: x")',
      /needs libstdc\+\+.so.6, which is not installed/,
    ],
    ['a newer C library needed', 'throw new Error("/lib/libc.so.6: version `GLIBC_2.99\' not found (required by x)")', /needs GLIBC_2.99/],
  ])('explains an addon with %s', (name, source, reason) => {
    expect(failure(file(`${name}.cjs`, source)).message).toMatch(reason);
  });

  it.skipIf(process.platform !== 'linux')('never takes a program for a script, nor any library for an addon', () => {
    expect(failure('/bin/ls').message).toMatch(/\/bin\/ls (is a program, not a library|is not a shared library)/);
    expect(failure(process.execPath).message).toMatch(/is (a program, not a library|not a shared library)/);
    expect(failure(file('script', 'module.exports = {}; // no library at all')).message).toMatch(/is not a library/);
  });

  it.each([
    ['the same', 'a1', 'a1', false],
    ['another', 'a1', 'b2', true],
    ['none', undefined, 'b2', false],
    ['an unknown one here', 'a1', '', false],
  ])('compares what both were built from: %s', (_name, buildId, expected, isStale) => {
    const { stale } = staleness(buildId === undefined ? {} : { buildId }, '/x/seamscope.node', expected);
    expect(stale !== undefined).toBe(isStale);
    if (stale)
      expect(stale).toEqual({
        message: expect.stringMatching(/seamscope\.node .*\(a1\).*\(b2\)/),
        nextStep: expect.stringContaining('npm run build'),
      });
  });

  it('lists every path tried and gives the next step of the one that exists', () => {
    const old = file('old.cjs', 'module.exports = { protocolVersion: 0 }');
    const error = failure(path.join(dir, 'absent.node'), old);
    expect(error.message).toContain(`${path.join(dir, 'absent.node')} does not exist; ${old} speaks protocol version 0`);
    expect(error.nextStep).toMatch(/of one version/);
  });

  it('looks beside the bundle first, then in the build folders; a named addon is the only candidate', () => {
    expect(addonCandidates('/x/dist', {})).toEqual([
      '/x/dist/native/seamscope.node',
      '/x/build/native/Release/seamscope.node',
      '/x/build/native/Debug/seamscope.node',
    ]);
    expect(addonCandidates('/x/dist', { SEAMSCOPE_ADDON: '/y/a.node' })).toEqual(['/y/a.node']);
  });
});
