import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile, sourceHash } from '../../../native/kernels/compile.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = path.join(root, 'native/kernels');
const source = readFileSync(path.join(folder, 'seam.cu'), 'utf8');
const ptx = readFileSync(path.join(folder, 'seam.ptx'), 'utf8');
const has = (tool: string) => spawnSync(tool, ['--version']).status === 0;
for (const tool of ['nvcc', 'ptxas']) if (!has(tool)) console.log(`skipped: ${tool} of the CUDA toolkit is not on the PATH`);

const kernels = [...source.matchAll(/__global__ void (\w+)\(([^)]*)\)/g)].map(([, name, parameters]) => ({
  name,
  count: parameters!.split(',').length,
}));

describe('the CUDA kernels as PTX', () => {
  it('were compiled from the source beside them', () => {
    expect(ptx.split('\n')[0]).toContain(sourceHash());
  });

  it.each(kernels)('$name has its parameters', ({ name, count }) => {
    const entry = new RegExp(`\\.visible \\.entry ${name}\\(([^)]*)\\)`).exec(ptx)?.[1];
    expect(entry?.split(',')).toHaveLength(count);
  });

  it('are what the native code asks for', () => {
    const side = readFileSync(path.join(root, 'native/src/seamtest/cuda_side.cpp'), 'utf8');
    const asked = [...side.matchAll(/"(seam_\w+)"/g)].map((match) => match[1]);
    expect(asked.sort()).toEqual(kernels.map(({ name }) => name).sort());
  });

  it.skipIf(!has('nvcc'))('compile to the same text', { timeout: 120_000 }, () => {
    expect(compile()).toBe(ptx);
  });

  it.skipIf(!has('ptxas'))('assemble for GPUs from Turing to Hopper', { timeout: 120_000 }, () => {
    for (const arch of ['sm_75', 'sm_86', 'sm_90']) {
      const { status, stderr } = spawnSync('ptxas', [`-arch=${arch}`, '-o', '/dev/null', path.join(folder, 'seam.ptx')], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    }
  });

  it.each(['shaders/seam_pattern.glsl', 'src/seamtest/pattern.hpp'])('draw the same pattern as %s', (file) => {
    const constants = (text: string) => [...text.matchAll(/0x[0-9A-F]{8}u/g)].map(([value]) => value);
    expect(constants(readFileSync(path.join(root, 'native', file), 'utf8'))).toEqual(constants(source));
  });
});
