#!/usr/bin/env node
// Packs what a bare GPU machine needs into .cache/gpu-bundle: bundle.tar.gz and run.sh. Runs it here when this machine has an NVIDIA GPU.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { buildNativeTests } from './lib/native.mjs';
import { cache, inRoot, workbenchNode } from './lib/paths.mjs';
import { main, run, StepError } from './lib/run.mjs';
import { packageVsix } from './package.mjs';
import { sysrootPaths } from './setup/sysroot.mjs';
import { findLibrary } from './setup/system.mjs';
import { setup } from './setup.mjs';

const home = path.join(cache, 'gpu-bundle');
const stage = inRoot('build/gpu-bundle');
const loaderLibraries = ['libvulkan.so.1', 'libGLdispatch.so.0', 'libEGL.so.1', 'libGLX.so.0', 'libGL.so.1'];
const sizeLimit = 64 * 1024 * 1024;

/** Each script becomes one file that needs no node_modules. */
async function bundleScripts(from, to, pattern) {
  const esbuild = await import('esbuild');
  const files = readdirSync(inRoot(from)).filter((file) => pattern.test(file));
  await esbuild.build({
    entryPoints: files.map((file) => path.join(from, file)),
    absWorkingDir: inRoot(),
    outdir: path.join(stage, to),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
    // A bundled CommonJS package still asks for Node's own modules by require.
    banner: { js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);" },
  });
}

/** With the publisher's examples, the stand-ins of the vendor libraries and the one source file that a test reads. */
async function copyNativeTests() {
  const tests = await buildNativeTests({ out: 'build/native-tests-shipping', shipping: true });
  copyFileSync(tests, path.join(stage, 'native/seamscope_tests'));
  const isProgram = (file) => !/CMakeFiles|\.a$|\.cmake$/.test(file);
  cpSync(path.join(path.dirname(tests), 'doubles'), path.join(stage, 'native/doubles'), { recursive: true, filter: isProgram });
  const carriesItsRuntime = (file) => isProgram(file) && !file.endsWith('publisher_stress');
  cpSync(path.join(path.dirname(tests), 'examples'), path.join(stage, 'native/examples'), { recursive: true, filter: carriesItsRuntime });
  mkdirSync(path.join(stage, 'helper/protocol'), { recursive: true });
  copyFileSync(inRoot('helper/protocol/devices.ts'), path.join(stage, 'helper/protocol/devices.ts'));
}

/** The Python publisher, its examples and the programs that check them where Python is. */
function copyPython() {
  const isPython = (file) => !/\.\w+$/.test(file) || file.endsWith('.py');
  mkdirSync(path.join(stage, 'publisher/examples'), { recursive: true });
  copyFileSync(inRoot('native/publisher/seamscope.py'), path.join(stage, 'publisher/seamscope.py'));
  cpSync(inRoot('native/publisher/examples'), path.join(stage, 'publisher/examples'), { recursive: true, filter: isPython });
  for (const name of ['python_publisher.py', 'several_publishers.py']) copyFileSync(inRoot('test/gpu', name), path.join(stage, 'gpu', name));
}

/** The Vulkan loader and GLVND: NVIDIA's Vulkan driver refuses to load without the latter, which bare GPU machines lack. */
function copyLoader() {
  for (const name of loaderLibraries) {
    const file = findLibrary(name);
    if (!file) throw new StepError(`${name} is not installed here, and NVIDIA's Vulkan driver needs it. Run: npm run setup`);
    copyFileSync(file, path.join(stage, 'loader', name));
  }
}

async function fillStage() {
  rmSync(stage, { recursive: true, force: true });
  for (const folder of ['native', 'loader']) mkdirSync(path.join(stage, folder), { recursive: true });
  cpSync(inRoot('build/vsix/dist'), path.join(stage, 'dist'), { recursive: true });
  copyFileSync(workbenchNode, path.join(stage, 'node'));
  copyLoader();
  await copyNativeTests();
  copyFileSync(sysrootPaths.library('libturbojpeg.so.0'), path.join(stage, 'native/libturbojpeg.so.0'));
  await run('strip', [path.join(stage, 'node')], { what: 'stripping Node' });
  await bundleScripts('test/gpu', 'gpu', /\.mjs$/);
  copyPython();
  // Those that need a workbench or a tree of sources have nothing to do there.
  await bundleScripts('test/bench', 'test/bench', /^run\.mjs$|^(?!lint|panel|workbench)\w+\.bench\.mjs$/);
}

async function pack() {
  await setup();
  await packageVsix();
  await fillStage();
  mkdirSync(home, { recursive: true });
  const file = path.join(home, 'bundle.tar.gz');
  await run('tar', ['-czf', file, '-C', stage, '.'], { what: 'packing the GPU bundle' });
  copyFileSync(inRoot('test/gpu/run.sh'), path.join(home, 'run.sh'));
  const { size } = statSync(file);
  if (size > sizeLimit) throw new StepError(`${file} has ${size} bytes; the limit is ${sizeLimit}.`);
  console.log(`${path.relative(inRoot(), file)}: ${(size / 1024 / 1024).toFixed(1)} MiB`);
}

await main(async () => {
  await pack();
  const runner = path.join(home, 'run.sh');
  if (!existsSync('/dev/nvidiactl')) {
    console.log(
      `No NVIDIA GPU here (/dev/nvidiactl is absent): only packed. Copy ${path.relative(inRoot(), home)} to a GPU machine and run: sh run.sh`,
    );
    return;
  }
  const { status } = spawnSync('sh', [runner], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
});
