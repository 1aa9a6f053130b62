import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile, kernels as files, sourceHash } from '../../../native/kernels/compile.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = path.join(root, 'native/kernels');
const sourceOf = (name: string) => readFileSync(path.join(folder, `${name}.cu`), 'utf8');
const ptxOf = (name: string) => readFileSync(path.join(folder, `${name}.ptx`), 'utf8');
const has = (tool: string) => spawnSync(tool, ['--version']).status === 0;
for (const tool of ['nvcc', 'ptxas']) if (!has(tool)) console.log(`skipped: ${tool} of the CUDA toolkit is not on the PATH`);

const kernelsOf = (file: string) =>
  [...sourceOf(file).matchAll(/__global__ void (\w+)\(([^)]*)\)/g)].map(([, name, parameters]) => ({
    file,
    name: name!,
    count: parameters!.split(',').length,
  }));

describe('the CUDA kernels as PTX', () => {
  it.each(files)('%s was compiled from the source beside it', (name) => {
    expect(ptxOf(name).split('\n')[0]).toContain(sourceHash(name));
  });

  it.each(files.flatMap(kernelsOf))('$name has its parameters', ({ file, name, count }) => {
    const entry = new RegExp(`\\.visible \\.entry ${name}\\(([^)]*)\\)`).exec(ptxOf(file))?.[1];
    expect(entry?.split(',')).toHaveLength(count);
  });

  it('are what the native code asks for', () => {
    const side = readFileSync(path.join(root, 'native/src/seamtest/cuda_side.cpp'), 'utf8');
    const asked = [...side.matchAll(/"(seam_\w+)"/g)].map((match) => match[1]);
    expect(asked.sort()).toEqual(
      kernelsOf('seam')
        .map(({ name }) => name)
        .sort(),
    );
  });

  it.skipIf(!has('nvcc')).each(files)('%s compiles to the same text', { timeout: 120_000 }, (name) => {
    expect(compile(name)).toBe(ptxOf(name));
  });

  it.skipIf(!has('ptxas')).each(files)('%s assembles for GPUs from Turing to Hopper', { timeout: 120_000 }, (name) => {
    for (const arch of ['sm_75', 'sm_86', 'sm_90']) {
      const { status, stderr } = spawnSync('ptxas', [`-arch=${arch}`, '-o', '/dev/null', path.join(folder, `${name}.ptx`)], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    }
  });

  it.each(['shaders/seam_pattern.glsl', 'src/seamtest/pattern.hpp'])('draw the same pattern as %s', (file) => {
    const constants = (text: string) => [...text.matchAll(/0x[0-9A-F]{8}u/g)].map(([value]) => value);
    expect(constants(readFileSync(path.join(root, 'native', file), 'utf8'))).toEqual(constants(sourceOf('seam')));
  });
});
