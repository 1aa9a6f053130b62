#!/usr/bin/env node
// Compiles seam.cu to seam.ptx. Needs the CUDA toolkit's nvcc on the PATH; run it after every change of the source.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = path.dirname(fileURLToPath(import.meta.url));
const source = path.join(folder, 'seam.cu');

export const sourceHash = () => createHash('sha256').update(readFileSync(source)).digest('hex');

/** The instructions are old ones: naming an old ISA lets every driver since CUDA 11.0 and every GPU since Pascal take them. */
export function compile() {
  const out = mkdtempSync(path.join(tmpdir(), 'seamscope-ptx-'));
  try {
    const file = path.join(out, 'seam.ptx');
    const { status, stderr, error } = spawnSync('nvcc', ['-ptx', '-O3', '-arch=compute_75', source, '-o', file], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`nvcc failed: ${error?.message ?? stderr}`);
    const body = readFileSync(file, 'utf8')
      .replace(/^\/\/.*\n/gm, '')
      .trimStart();
    const old = body.replace(/^\.version .*/m, '.version 7.0').replace(/^\.target .*/m, '.target sm_60');
    return `// Compiled from seam.cu (sha256 ${sourceHash()}) by compile.mjs.\n\n${old}`;
  } finally {
    rmSync(out, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(path.join(folder, 'seam.ptx'), compile());
