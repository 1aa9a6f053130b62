import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf, hasCommand, run, shim, sources } from './tools';

const files = filesOf('objective-cpp', '.mm');
const read = (name: string) => readFileSync(path.join(sources, 'objective-cpp', name), 'utf8');

/** The code without comments, strings and characters, so that only tokens are left. */
const tokens = (source: string) => source.replace(/\/\/.*|\/\*[\s\S]*?\*\/|@?"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, ' ');

function unbalanced(source: string): string | undefined {
  const closes: Record<string, string> = { ')': '(', ']': '[', '}': '{' };
  const open: string[] = [];
  for (const [token] of source.matchAll(/[()[\]{}]/g)) {
    if (!(token in closes)) open.push(token);
    else if (open.pop() !== closes[token]) return token;
  }
  return open.pop();
}

/** Bodies of structs that hold managed handles. */
const managedStructs = (source: string) =>
  [...source.matchAll(/\bstruct (\w+) \{([^}]*)\}/g)].filter(([, , fields]) => /\bid ?</.test(fields!)).map(([, name]) => name!);

describe.each(files)('%s', (name) => {
  const code = tokens(read(name));

  it('is balanced', () => expect(unbalanced(code)).toBeUndefined());

  it('is ARC code: no manual reference counting', () => {
    expect(code.match(/\b(?:retain|release|autorelease|dealloc)\s*\]/g)).toBeNull();
  });

  it('asks for no synchronisation blit on Shared storage', () => expect(code).not.toMatch(/synchronizeResource|didModifyRange/));

  it('never treats a struct with managed handles as bytes', () => {
    for (const struct of managedStructs(code)) {
      expect(code).not.toMatch(new RegExp(`\\b(?:memset|memcpy|calloc|malloc)\\s*\\([^;]*\\b${struct}\\b`));
    }
  });

  it('compiles with ARC', async ({ skip }) => {
    const compiler = ['clang++', 'clang++-19', 'clang++-16', 'clang++-14'].find(hasCommand);
    if (!compiler) skip('no clang++: Objective-C++ with ARC was checked by its tokens only');
    // Off Apple's systems against a stand-in for Metal: types and ARC rules, not behaviour.
    const metal = process.platform === 'darwin' ? [] : ['-fobjc-runtime=macosx', `-I${shim}`];
    const flags = ['-x', 'objective-c++', '-std=c++17', '-fobjc-arc', '-fblocks', '-Wall', '-Wextra', '-Werror', '-Wno-unused-function'];
    const outcome = await run(compiler!, [...flags, ...metal, '-fsyntax-only', path.join(sources, 'objective-cpp', name)]);
    expect(outcome).toEqual({ code: 0, output: '' });
  });
});
