import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const headers = [process.env.CUDA_PATH ?? '/usr/local/cuda', '/usr']
  .map((home) => path.join(home, 'include'))
  .find((folder) => existsSync(path.join(folder, 'cuda.h')));
if (!headers) console.log('skipped: cuda.h of a CUDA toolkit was not found');

it.skipIf(!headers)("our declarations of CUDA's driver API have the toolkit's layout and numbers", { timeout: 120_000 }, () => {
  const flags = ['-std=c++20', '-fsyntax-only', '-isystem', headers!, `-I${path.join(root, 'native/src')}`];
  const { status, stderr } = spawnSync('g++', [...flags, path.join(import.meta.dirname, 'abi.cpp')], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
