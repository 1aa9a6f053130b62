// Reads the grammars that lie beside the bundles.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Grammars } from '../syntax/grammars';

/** `dir` is the folder of the bundles; the grammars are in its `wasm`. */
export async function loadGrammars(dir: string): Promise<Grammars> {
  const read = async (file: string) => {
    const full = path.join(dir, 'wasm', file);
    try {
      return await readFile(full);
    } catch (error) {
      throw new Error(`The grammar ${full} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`);
    }
  };
  const [runtime, cuda, python] = await Promise.all([read('web-tree-sitter.wasm'), read('tree-sitter-cuda.wasm'), read('tree-sitter-python.wasm')]);
  return await Grammars.load({ runtime, cuda, python });
}
