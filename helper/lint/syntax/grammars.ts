// The only module that knows web-tree-sitter. Bytes come from the caller: the lint core reads no files.
import { Edit, Language, Parser, type Tree } from 'web-tree-sitter';
import { copyTree, type Node } from './node';

export type GrammarName = 'cuda' | 'python';

export interface GrammarBytes {
  /** web-tree-sitter.wasm */
  readonly runtime: Uint8Array;
  readonly cuda: Uint8Array;
  readonly python: Uint8Array;
}

/** A parse may take this long before the text counts as unparsable, in milliseconds. */
const parseBudget = 10_000;

export class Grammars {
  readonly #parsers: Record<GrammarName, Parser>;

  private constructor(parsers: Record<GrammarName, Parser>) {
    this.#parsers = parsers;
  }

  static async load(bytes: GrammarBytes): Promise<Grammars> {
    await Parser.init({ wasmBinary: bytes.runtime } as object);
    const parser = async (wasm: Uint8Array) => {
      const created = new Parser();
      created.setLanguage(await Language.load(wasm));
      return created;
    };
    return new Grammars({ cuda: await parser(bytes.cuda), python: await parser(bytes.python) });
  }

  /** Parses once and keeps nothing. Undefined when the budget is used up. */
  parse(grammar: GrammarName, text: string): Node | undefined {
    const tree = this.#run(grammar, text, null);
    try {
      return tree ? copyTree(tree) : undefined;
    } finally {
      tree?.delete();
    }
  }

  /** A text that will be edited and parsed again. Call `dispose` when done. */
  open(grammar: GrammarName): EditableTree {
    return new EditableTree((text, old) => this.#run(grammar, text, old));
  }

  #run(grammar: GrammarName, text: string, old: Tree | null): Tree | null {
    const deadline = Date.now() + parseBudget;
    return this.#parsers[grammar].parse(text, old, { progressCallback: () => Date.now() > deadline });
  }
}

/** Parses successive versions of one text, reusing what did not change. */
export class EditableTree {
  #tree: Tree | null = null;
  #text = '';

  constructor(private readonly run: (text: string, old: Tree | null) => Tree | null) {}

  update(text: string): Node | undefined {
    const old = this.#tree;
    if (old) old.edit(editBetween(this.#text, text));
    this.#tree = this.run(text, old);
    old?.delete();
    this.#text = text;
    return this.#tree ? copyTree(this.#tree) : undefined;
  }

  dispose(): void {
    this.#tree?.delete();
    this.#tree = null;
  }
}

/** The one changed range between two texts. */
function editBetween(before: string, after: string): Edit {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let tail = 0;
  while (tail < shorter - start && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) tail++;
  const point = (text: string, index: number) => {
    const head = text.slice(0, index);
    return { row: head.split('\n').length - 1, column: index - (head.lastIndexOf('\n') + 1) };
  };
  const oldEnd = before.length - tail;
  const newEnd = after.length - tail;
  return new Edit({
    startIndex: start,
    oldEndIndex: oldEnd,
    newEndIndex: newEnd,
    startPosition: point(before, start),
    oldEndPosition: point(before, oldEnd),
    newEndPosition: point(after, newEnd),
  });
}
