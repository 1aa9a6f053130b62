// Builds the C++ side: the addon through cmake-js, the doctest program through CMake alone.
import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sysrootPaths } from '../setup/sysroot.mjs';
import { findLibrary } from '../setup/system.mjs';
import { nativeBuildId } from './build-id.mjs';
import { bin, inRoot } from './paths.mjs';
import { run } from './run.mjs';

const addonName = 'seamscope.node';
const turbojpeg = 'libturbojpeg.so.0';

/** CMake variables that make it use the old compiler and C library, and only them. */
function shippingVariables() {
  const variable = {
    CMAKE_C_COMPILER: sysrootPaths.cc,
    CMAKE_CXX_COMPILER: sysrootPaths.cxx,
    TURBOJPEG: sysrootPaths.library(turbojpeg),
    ZLIB: path.join(sysrootPaths.root, 'lib/x86_64-linux-gnu/libz.so.1'),
    TURBOJPEG_HEADERS: path.join(sysrootPaths.root, 'usr/include'),
  };
  for (const name of ['VULKAN', 'VOLK', 'JSON', 'STB', 'DOCTEST']) variable[`${name}_HEADERS`] = sysrootPaths.include;
  return variable;
}

const jobs = () => process.env.SEAMSCOPE_JOBS ?? '2';

/** The addon includes it: a variable would not do, since cmake-js configures a build folder only once. */
function writeBuildId(out) {
  const file = inRoot(out, 'build_id.inc');
  const text = `"${nativeBuildId()}"\n`;
  mkdirSync(inRoot(out), { recursive: true });
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

/** @returns the path of the addon built below `out`, e.g. build/native. `shipping` builds it for glibc 2.31. */
export async function buildAddon({ out, shipping = false }) {
  writeBuildId(out);
  const variables = shipping ? shippingVariables() : {};
  const defines = Object.entries(variables).map(([key, value]) => `--CD${key}=${value}`);
  await run(bin('cmake-js'), ['compile', '-d', 'native', '-O', inRoot(out), '-B', 'Release', '--parallel', jobs(), ...defines], {
    what: 'building the native addon',
    timeoutMs: 1_200_000,
  });
  return inRoot(out, 'Release', addonName);
}

/** The tests that travel bring their C++ runtime, find libraries beside themselves and sources below the working directory. */
function travellingVariables() {
  const runtime = '-static-libstdc++ -static-libgcc';
  return {
    ...shippingVariables(),
    CMAKE_EXE_LINKER_FLAGS: runtime,
    CMAKE_SHARED_LINKER_FLAGS: runtime,
    CMAKE_BUILD_RPATH: '$ORIGIN;$ORIGIN/..',
    SEAMSCOPE_SOURCE_DIR: '.',
  };
}

/** @returns the path of the doctest program. */
export async function buildNativeTests({ out, sanitize = false, shipping = false }) {
  const variables = {
    CMAKE_BUILD_TYPE: sanitize ? 'Debug' : 'Release',
    SEAMSCOPE_ADDON: 'OFF',
    SEAMSCOPE_TESTS: 'ON',
    SEAMSCOPE_SANITIZE: sanitize ? 'ON' : 'OFF',
    ...(shipping ? travellingVariables() : {}),
  };
  const defines = Object.entries(variables).map(([key, value]) => `-D${key}=${value}`);
  const what = `building the native tests${sanitize ? ' with sanitizers' : ''}`;
  await run('cmake', ['-S', 'native', '-B', inRoot(out), '-G', 'Ninja', ...defines], { what });
  await run('cmake', ['--build', inRoot(out), '--parallel', jobs()], { what, timeoutMs: 1_200_000 });
  return inRoot(out, 'seamscope_tests');
}

/** Puts the addon where the bundles look for it, with the one library that it links beside it. */
export function placeAddon(addon, folder, { shipping = false } = {}) {
  mkdirSync(folder, { recursive: true });
  replaceFile(addon, path.join(folder, addonName));
  replaceFile(shipping ? sysrootPaths.library(turbojpeg) : findLibrary(turbojpeg), path.join(folder, turbojpeg));
}

/** By rename: an engine that has the old file mapped keeps it. */
function replaceFile(from, to) {
  copyFileSync(realpathSync(from), `${to}.new`);
  renameSync(`${to}.new`, to);
}
