import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compilerFlags, filesOf, hasCommand, missing, run, sources } from './tools';

/** System headers of a source file and of the local headers that it includes. */
function headersOf(file: string): string[] {
  const includes = [...readFileSync(file, 'utf8').matchAll(/^#include (["<])(.+)[">]$/gm)];
  return includes.flatMap(([, kind, name]) => (kind === '<' ? [name!] : headersOf(path.join(path.dirname(file), name!))));
}

/** ovrtx is declared by a stand-in header that brings DLPack's. */
const needs = (file: string) => headersOf(file).flatMap((name) => (name === 'ovrtx/ovrtx.h' ? ['dlpack/dlpack.h'] : [name]));

describe('C++ snippets compile against the real headers (ovrtx: a stand-in)', () => {
  it.for(filesOf('cpp', '.hpp'))('%s', { timeout: 120_000 }, async (name, { skip }) => {
    const file = path.join(sources, 'cpp', name);
    const reason = hasCommand('g++') ? missing(needs(file)) : 'no g++';
    if (reason) skip(reason);
    // As the first include, so that the file is seen to bring all that it uses.
    expect(await run('g++', ['-x', 'c++', '-fsyntax-only', ...compilerFlags, '-include', file, '/dev/null'])).toEqual({ code: 0, output: '' });
  });
});

describe('CUDA snippets compile with nvcc', () => {
  it.for(filesOf('cuda-cpp', '.cu'))('%s', { timeout: 120_000 }, async (name, { skip }) => {
    const file = path.join(sources, 'cuda-cpp', name);
    const reason = hasCommand('nvcc') ? missing(needs(file)) : 'no CUDA toolkit here: nvcc is not in PATH';
    if (reason) skip(reason);
    const host = ['-Xcompiler', '-Wall,-Wextra,-Werror', '-Werror', 'all-warnings'];
    const args = ['-std=c++17', ...host, ...compilerFlags.filter((flag) => flag.startsWith('-I')), '-c', file, '-o', '/dev/null'];
    expect(await run('nvcc', args)).toEqual({ code: 0, output: '' });
  });
});
