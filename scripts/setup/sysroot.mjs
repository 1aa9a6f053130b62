// A compiler and C library old enough for every machine that the .vsix shall run on: glibc 2.31 and GCC 10, unpacked from the packages of the
// distribution that had them. Built with the host's compiler, the addon would ask for the host's glibc.
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cache } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { clearStamp, hashOf, stampMatches, writeStamp } from '../lib/stamp.mjs';
import { ownMirror, privateApt } from './apt.mjs';

const home = path.join(cache, 'sysroot-glibc2.31');
const stamp = path.join(home, 'ready');
const recipe = hashOf({ texts: ['1'] });

/** The unpacked tree, compiler wrappers and the header-only libraries of the host, which do not depend on its C library. */
export const sysrootPaths = {
  root: path.join(home, 'root'),
  cxx: path.join(home, 'bin/g++'),
  cc: path.join(home, 'bin/gcc'),
  include: path.join(home, 'include'),
  library: (name) => path.join(home, 'root/usr/lib/x86_64-linux-gnu', name),
};

const distributions = {
  debian: { suites: ['bullseye'], components: 'main' },
  ubuntu: { suites: ['focal', 'focal-updates'], components: 'main universe' },
};
const packages = ['g++-10', 'libturbojpeg0-dev'];
/** Run-time libraries of the old compiler itself. Nothing else may come from the old tree while a program of the host runs. */
const compilerLibraries = /^lib(isl|mpc|mpfr|gmp)\.so\.\d+$/;
const hostHeaders = ['vulkan', 'vk_video', 'volk.h', 'volk.c', 'nlohmann', 'doctest', 'stb/stb_image_write.h', 'stb/stb_image.h'];

export const sysroot = {
  name: 'old C library and compiler for shipping (glibc 2.31, GCC 10)',
  isReady: () => stampMatches(stamp, recipe),
  install,
};

async function install() {
  clearStamp(stamp);
  rmSync(home, { recursive: true, force: true });
  const archives = await download();
  mkdirSync(sysrootPaths.root, { recursive: true });
  for (const file of archives) await run('dpkg', ['-x', file, sysrootPaths.root], { what: `unpacking ${path.basename(file)}` });
  rmSync(path.join(home, 'apt'), { recursive: true });
  makeLinksRelative(sysrootPaths.root);
  writeCompilers();
  linkHeaders();
  writeStamp(stamp, recipe);
}

/** Lets apt itself resolve and verify, against an empty package database of our own. */
async function download() {
  const apt = path.join(home, 'apt');
  const options = privateApt(apt, await sources());
  const nextStep = 'The .vsix can only be built where apt reaches a mirror that still has this release; npm start and npm run build work without it.';
  await run('apt-get', [...options, '-q', 'update'], { what: 'reading the package lists of the old release', nextStep });
  await run('apt-get', [...options, '-q', '-y', '--no-install-recommends', '--download-only', 'install', ...packages], {
    what: 'downloading the old compiler',
    nextStep,
  });
  const folder = path.join(apt, 'archives');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => path.join(folder, name));
}

/** The old release lies on the mirror that this machine already uses for its own. */
async function sources() {
  const { id, uri, keyring } = await ownMirror();
  const { suites, components } = distributions[id];
  return suites.map((suite) => `deb [arch=amd64 signed-by=${keyring}] ${uri} ${suite} ${components}`);
}

/** Links such as /lib/... would leave the tree and point into the host. */
function makeLinksRelative(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) makeLinksRelative(file);
    else if (lstatSync(file).isSymbolicLink() && path.isAbsolute(readlinkSync(file))) {
      const target = path.join(sysrootPaths.root, readlinkSync(file));
      rmSync(file);
      symlinkSync(path.relative(folder, target), file);
    }
  }
}

/** The old compiler runs on the host's newer C library; as and ld are the host's. */
function writeCompilers() {
  const libraries = path.join(home, 'compiler-libraries');
  mkdirSync(libraries);
  const from = sysrootPaths.library('');
  for (const name of readdirSync(from).filter((file) => compilerLibraries.test(file))) symlinkSync(path.join(from, name), path.join(libraries, name));
  mkdirSync(path.dirname(sysrootPaths.cxx));
  for (const [file, program] of [
    [sysrootPaths.cxx, 'g++-10'],
    [sysrootPaths.cc, 'gcc-10'],
  ]) {
    const command = `exec "${sysrootPaths.root}/usr/bin/${program}" --sysroot="${sysrootPaths.root}" "$@"`;
    writeFileSync(file, `#!/bin/sh\nLD_LIBRARY_PATH="${libraries}" ${command}\n`, { mode: 0o755 });
  }
}

function linkHeaders() {
  mkdirSync(sysrootPaths.include);
  for (const name of hostHeaders) {
    const found = ['/usr/include', '/usr/local/include'].map((folder) => path.join(folder, name)).find(existsSync);
    if (found) symlinkSync(found, path.join(sysrootPaths.include, path.basename(name)));
  }
}
