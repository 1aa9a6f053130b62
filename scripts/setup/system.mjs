// What the build and the tests need from the operating system. Looked for by file, so that a system without apt is fine when the files are there.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { run, StepError } from '../lib/run.mjs';

const libraryFolders = ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib', '/usr/local/lib'];
const headerFolders = ['/usr/include', '/usr/local/include', '/usr/include/stb'];
const driverFolders = ['/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d'];

export function findCommand(...names) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  for (const name of names) {
    const hit = folders.map((folder) => path.join(folder, name)).find(isExecutable);
    if (hit) return hit;
  }
  return undefined;
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const command =
  (...names) =>
  () =>
    findCommand(...names) !== undefined;
const fileIn = (folders, name) => () => folders.some((folder) => existsSync(path.join(folder, name)));
const header = (name) => fileIn(headerFolders, name);
const library = (name) => fileIn(libraryFolders, name);

/** Full path of a shared library, or undefined. */
export const findLibrary = (name) => libraryFolders.map((folder) => path.join(folder, name)).find(existsSync);

/** For whichever Python is first in PATH, or for the system's: where that is another one, the tests that need it are skipped. */
const pythonModule = (name) => () =>
  existsSync(path.join('/usr/lib/python3/dist-packages', name)) || spawnSync('python3', ['-c', `import ${name}`], { timeout: 60_000 }).status === 0;

const lavapipe = () => driverFolders.some((folder) => existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('lvp_icd')));

export const browserCommands = ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser'];

/** Per part: Debian/Ubuntu package -> is what it brings there? */
const needs = {
  native: {
    'g++': command('g++', 'c++'),
    cmake: command('cmake'),
    'ninja-build': command('ninja'),
    'glslang-tools': command('glslangValidator'),
    'libvulkan-dev': header('vulkan/vulkan.h'),
    'libvulkan-volk-dev': header('volk.h'),
    libvulkan1: library('libvulkan.so.1'),
    'libturbojpeg0-dev': header('turbojpeg.h'),
    'libstb-dev': header('stb_image_write.h'),
    'nlohmann-json3-dev': header('nlohmann/json.hpp'),
  },
  'native tests': {
    'doctest-dev': header('doctest/doctest.h'),
    'clang-format': command('clang-format'),
    'mesa-vulkan-drivers': lavapipe,
    'vulkan-validationlayers': library('libVkLayer_khronos_validation.so'),
    // The snippets are compiled against the real headers.
    'libdlpack-dev': header('dlpack/dlpack.h'),
    'libegl-dev': header('EGL/egl.h'),
    'libgl-dev': header('GL/gl.h'),
    python3: command('python3'),
    'python3-numpy': pythonModule('numpy'),
    binutils: command('objdump'),
    unzip: command('unzip'),
  },
  browser: {
    chromium: command(...browserCommands),
    'mesa-vulkan-drivers': lavapipe,
    // node-gyp builds four modules of the served workbench with these.
    make: command('make'),
    python3: command('python3'),
  },
};

const missing = (part) =>
  Object.entries(needs[part])
    .filter(([, isThere]) => !isThere())
    .map(([name]) => name);

const aptLine = (packages) => `apt-get update && apt-get install -y ${packages.join(' ')}`;

async function howToBecomeRoot() {
  if (process.getuid?.() === 0) return [];
  const sudo = findCommand('sudo');
  if (!sudo) return undefined;
  const allowed = await run(sudo, ['-n', 'true'], { timeoutMs: 10_000 }).then(
    () => true,
    () => false,
  );
  return allowed ? [sudo, '-n'] : undefined;
}

async function installPackages(packages) {
  if (!findCommand('apt-get')) {
    throw new StepError(
      `These Debian packages, or what your system calls them, are missing: ${packages.join(' ')}. Install them, then run this again.`,
      { exitCode: 2 },
    );
  }
  const prefix = await howToBecomeRoot();
  if (!prefix)
    throw new StepError(`Some system packages are missing and need root. Run:\n\n  sudo sh -c '${aptLine(packages)}'\n\nthen run this again.`, {
      exitCode: 2,
    });
  const apt = (...args) => {
    const [program, ...rest] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', ...args];
    return run(program, rest, { what: `apt-get ${args[0]}`, nextStep: `Try it by hand: ${aptLine(packages)}`, timeoutMs: 900_000 });
  };
  await apt('update');
  await apt('install', '-y', ...packages);
}

/** One set-up part: the system packages of a row of the table above. */
export const system = (part) => ({
  name: `system packages for ${part}`,
  isReady: () => missing(part).length === 0,
  describe: () => missing(part).join(' '),
  async install() {
    await installPackages(missing(part));
    const still = missing(part);
    if (still.length > 0) throw new StepError(`Still not found after installing: ${still.join(', ')}.`);
  },
});
