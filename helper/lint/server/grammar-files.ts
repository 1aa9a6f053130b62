// Reads the grammars that lie beside the bundles.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Grammars } from '../syntax/grammars';

/** From so many bytes of source on, parsing with optimised code is worth the wait for it. */
const longRun = 8 * 1024 * 1024;

/**
 * `dir` is the folder of the bundles; the grammars are in its `wasm`.
 * @param bytes how much source will be looked at, where that is known
 */
export async function loadGrammars(dir: string, bytes = 0): Promise<Grammars> {
  if (bytes < longRun) preferBaselineCode();
  // At once: pieces of four megabytes cost more than the wait.
  const read = (file: string) => {
    const full = path.join(dir, 'wasm', file);
    try {
      return readFileSync(full);
    } catch (error) {
      throw new Error(`The grammar ${full} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`);
    }
  };
  return await Grammars.load({
    runtime: read('web-tree-sitter.wasm'),
    cuda: read('tree-sitter-cuda.wasm'),
    python: read('tree-sitter-python.wasm'),
  });
}

/**
 * The lexer of a grammar is one huge function. V8's optimising compiler begins with it in the first file, takes half a second of another core
 * and some 30 MB, and the end of the process waits for it; parsing gains a fifth. Not worth it for a few megabytes of source.
 */
function preferBaselineCode(): void {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}
