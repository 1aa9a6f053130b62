#!/usr/bin/env node
// Compiles each NAME.cu to NAME.ptx. Needs the CUDA toolkit's nvcc on the PATH; run it after every change of a source.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = path.dirname(fileURLToPath(import.meta.url));
export const kernels = ['seam', 'render_load', 'publish_copy'];

const sourceOf = (name) => path.join(folder, `${name}.cu`);
export const sourceHash = (name) =>
  createHash('sha256')
    .update(readFileSync(sourceOf(name)))
    .digest('hex');

/** The instructions are old ones: naming an old ISA lets every driver since CUDA 11.0 and every GPU since Pascal take them. */
export function compile(name) {
  const out = mkdtempSync(path.join(tmpdir(), 'seamscope-ptx-'));
  try {
    const file = path.join(out, `${name}.ptx`);
    const { status, stderr, error } = spawnSync('nvcc', ['-ptx', '-O3', '-arch=compute_75', sourceOf(name), '-o', file], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`nvcc failed: ${error?.message ?? stderr}`);
    const body = readFileSync(file, 'utf8')
      .replace(/^\/\/.*\n/gm, '')
      .trimStart();
    const old = body.replace(/^\.version .*/m, '.version 7.0').replace(/^\.target .*/m, '.target sm_60');
    return `// Compiled from ${name}.cu (sha256 ${sourceHash(name)}) by compile.mjs.\n\n${old}`;
  } finally {
    rmSync(out, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const name of kernels) writeFileSync(path.join(folder, `${name}.ptx`), compile(name));
