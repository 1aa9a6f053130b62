/** The tracked source files and what they import, for the tests of the invariants. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(__dirname, '../..');

/** Paths that git tracks or would track, relative to the root; deleted ones are left out. */
export function trackedFiles(): string[] {
  const list = (...args: string[]) =>
    execFileSync('git', ['ls-files', '-z', ...args], { cwd: root, encoding: 'utf8' })
      .split('\0')
      .filter(Boolean);
  const deleted = new Set(list('--deleted'));
  return [...new Set(list('--cached', '--others', '--exclude-standard'))].filter((file) => !deleted.has(file)).sort();
}

export const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

export const under = (...folders: string[]): string[] => trackedFiles().filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)));

export interface Import {
  /** As written: 'vscode', 'node:fs', or for a relative one the path from the root without extension. */
  target: string;
  typeOnly: boolean;
}

const importPattern = /^\s*(import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const dynamicPattern = /\b(?:import|require)\(\s*['"]([^'"]+)['"]\s*\)/g;

export function importsOf(file: string): Import[] {
  const text = read(file);
  const found = [...text.matchAll(importPattern)].map((match) => ({ target: match[3] ?? '', typeOnly: match[2] !== undefined }));
  const dynamic = [...text.matchAll(dynamicPattern)].map((match) => ({ target: match[1] ?? '', typeOnly: false }));
  return [...found, ...dynamic].map(({ target, typeOnly }) => ({ target: resolve(file, target), typeOnly }));
}

function resolve(file: string, target: string): string {
  if (!target.startsWith('.')) return target;
  return path.posix.join(path.posix.dirname(file), target).replace(/\.(js|ts|mjs)$/, '');
}

/** `#include "x"` and `#include <x>` of a C++ file. */
export const includesOf = (file: string): string[] => [...read(file).matchAll(/^\s*#\s*include\s*[<"]([^>"]+)[>"]/gm)].map((match) => match[1] ?? '');
