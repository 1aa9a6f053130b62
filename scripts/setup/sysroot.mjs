// A compiler and C library old enough for every machine that the .vsix shall run on: glibc 2.31 and GCC 10, unpacked from the packages of the
// distribution that had them. Built with the host's compiler, the addon would ask for the host's glibc.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cache } from '../lib/paths.mjs';
import { run, StepError } from '../lib/run.mjs';
import { clearStamp, hashOf, stampMatches, writeStamp } from '../lib/stamp.mjs';

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
  for (const folder of ['lists/partial', 'archives/partial']) mkdirSync(path.join(apt, folder), { recursive: true });
  writeFileSync(path.join(apt, 'status'), '');
  writeFileSync(path.join(apt, 'sources.list'), await sources());
  const settings = {
    'Dir::Etc::SourceList': path.join(apt, 'sources.list'),
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State': apt,
    'Dir::State::Lists': path.join(apt, 'lists'),
    'Dir::State::status': path.join(apt, 'status'),
    'Dir::Cache': apt,
    'Dir::Cache::archives': path.join(apt, 'archives'),
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
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
  const { ID: id, VERSION_CODENAME: codename } = osRelease();
  const distribution = distributions[id];
  if (!distribution || !codename) {
    throw new StepError(
      `The shipped addon is built on Debian or Ubuntu; this is ${id ?? 'an unknown system'}. npm start and npm run build work here.`,
      { exitCode: 2 },
    );
  }
  const output = await run('apt-get', ['indextargets', '--format', '$(RELEASE) $(COMPONENT) $(REPO_URI)', 'Created-By: Packages'], {
    what: 'apt-get indextargets',
  });
  const line = output.split('\n').find((text) => text.startsWith(`${codename} main `));
  if (!line) throw new StepError(`apt has no source for ${codename} main, so the mirror is unknown.`, { exitCode: 2 });
  const keyring = `/usr/share/keyrings/${id}-archive-keyring.gpg`;
  const uri = line.split(' ')[2];
  return distribution.suites.map((suite) => `deb [arch=amd64 signed-by=${keyring}] ${uri} ${suite} ${distribution.components}\n`).join('');
}

function osRelease() {
  const text = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  return Object.fromEntries([...text.matchAll(/^(\w+)="?([^"\n]*)"?$/gm)].map((match) => [match[1], match[2]]));
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
