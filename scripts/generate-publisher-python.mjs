#!/usr/bin/env node
// Joins native/publisher/python into native/publisher/seamscope.py, the one file that programs carry. --check: only says whether it is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { inRoot } from './lib/paths.mjs';
import { isMain, main, StepError } from './lib/run.mjs';

const folder = 'native/publisher/python';
const target = 'native/publisher/seamscope.py';
const partImport = /^from \.\w+ import (?:\([^)]*\)|.*)\n/gm;
const libraryImport = /^(?:import \w+|from \w+ import .*)\n/gm;
const docstring = /^"""([\s\S]*?)"""\n/;

const head = `"""Seamscope publisher: shows arrays of this program in the Seamscope preview of VS Code. Standard library only, Python 3.8 or newer, Linux.

    import seamscope
    seamscope.publish("color", frame)   # numpy, torch, CuPy, Warp, anything with __dlpack__

Joined from ${folder} by scripts/generate-publisher-python.mjs: edit the parts, not this file.
"""
`;

const exported = ['CudaArray', 'Unsupported', 'is_watched', 'last_error', 'publish', 'set_program_name'];

function partNames() {
  const text = readFileSync(inRoot(folder, '__init__.py'), 'utf8');
  return [.../PARTS = \(([\s\S]*?)\)/.exec(text)[1].matchAll(/"(\w+)"/g)].map((match) => match[1]);
}

function readPart(name) {
  const text = readFileSync(inRoot(folder, `${name}.py`), 'utf8');
  const about = docstring.exec(text)[1].trim();
  const rest = text.replace(docstring, '').replace(partImport, '');
  const imports = [...rest.matchAll(libraryImport)].map((match) => match[0].trim());
  const comment = about
    .split('\n')
    .map((line) => `# ${line}`.trimEnd())
    .join('\n');
  return { imports, code: `${comment}\n\n${rest.replace(libraryImport, '').trim()}\n` };
}

/** @returns the text of seamscope.py. */
export function joinedPublisher() {
  const parts = partNames().map(readPart);
  const imports = [...new Set(parts.flatMap((part) => part.imports))].sort();
  const names = `__all__ = [${exported.map((name) => `"${name}"`).join(', ')}]`;
  return [`${head}\n${imports.join('\n')}\n\n${names}\n`, ...parts.map((part) => part.code)].join('\n\n');
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const text = joinedPublisher();
    if (!process.argv.includes('--check')) writeFileSync(inRoot(target), text);
    else if (readFileSync(inRoot(target), 'utf8') !== text)
      throw new StepError(`${target} is stale. Run: node scripts/generate-publisher-python.mjs`);
  });
}
