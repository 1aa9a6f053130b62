// The only module that knows web-tree-sitter. Bytes come from the caller: the lint core reads no files.
import { Edit, Language, Parser, type Point, type Tree } from 'web-tree-sitter';
import { editBetween, type TextEdit } from '../text/edit';
import type { Binding } from './cursor';
import type { Node } from './node';
import { copyTree, TreeCopy } from './tree-copy';

export type GrammarName = 'cuda' | 'python';

export interface GrammarBytes {
  /** web-tree-sitter.wasm */
  readonly runtime: Uint8Array;
  readonly cuda: Uint8Array;
  readonly python: Uint8Array;
}

/** A parse may take this long before the text counts as unparsable, in milliseconds. */
const parseBudget = 10_000;

/** The one module of this thread: web-tree-sitter makes no second one. */
let started: Promise<Binding> | undefined;

async function start(wasmBinary: Uint8Array): Promise<Binding> {
  // The exports are put into the object that the options come from.
  const binding = { wasmBinary } as object as Binding;
  try {
    await Parser.init(binding as object);
    return binding;
  } catch (error) {
    started = undefined;
    throw error;
  }
}

export class Grammars {
  readonly #parsers: Record<GrammarName, Parser>;

  private constructor(
    private readonly binding: Binding,
    parsers: Record<GrammarName, Parser>,
  ) {
    this.#parsers = parsers;
  }

  static async load(bytes: GrammarBytes): Promise<Grammars> {
    started ??= start(bytes.runtime);
    const binding = await started;
    const parser = async (wasm: Uint8Array) => {
      const created = new Parser();
      created.setLanguage(await Language.load(wasm));
      return created;
    };
    return new Grammars(binding, { cuda: await parser(bytes.cuda), python: await parser(bytes.python) });
  }

  /** Parses once and keeps nothing. Undefined when the budget is used up. */
  parse(grammar: GrammarName, text: string): Node | undefined {
    const tree = this.#run(grammar, text, null);
    try {
      return tree ? copyTree(this.binding, tree) : undefined;
    } finally {
      tree?.delete();
    }
  }

  /** A text that will be edited and parsed again. Call `dispose` when done. */
  open(grammar: GrammarName): EditableTree {
    return new EditableTree(this.binding, (text, old) => this.#run(grammar, text, old));
  }

  #run(grammar: GrammarName, text: string, old: Tree | null): Tree | null {
    const deadline = Date.now() + parseBudget;
    const parser = this.#parsers[grammar];
    const tree = parser.parse(text, old, { progressCallback: () => Date.now() > deadline });
    // A parser that was stopped would go on with the stopped text.
    if (!tree) parser.reset();
    return tree;
  }
}

/** Parses successive versions of one text, reusing what did not change. */
export class EditableTree {
  #tree: Tree | null = null;
  #text = '';
  #copy: TreeCopy;

  constructor(
    private readonly binding: Binding,
    private readonly run: (text: string, old: Tree | null) => Tree | null,
  ) {
    this.#copy = new TreeCopy(binding);
  }

  /** Nodes that the change leaves alone are those of the last version, at their new place. */
  update(text: string): Node | undefined {
    const old = this.#tree;
    const edit = old ? editBetween(this.#text, text) : undefined;
    if (old && edit) old.edit(withPoints(edit, this.#text, text));
    this.#tree = this.run(text, old);
    this.#text = text;
    try {
      if (this.#tree) return this.#copy.update(this.#tree, old ?? undefined, edit);
      this.#copy = new TreeCopy(this.binding);
      return undefined;
    } finally {
      old?.delete();
    }
  }

  dispose(): void {
    this.#tree?.delete();
    this.#tree = null;
    this.#copy = new TreeCopy(this.binding);
  }
}

function withPoints({ start, oldEnd, newEnd }: TextEdit, before: string, after: string): Edit {
  const from = pointAt(after, start, { row: 0, column: 0 }, 0);
  return new Edit({
    startIndex: start,
    oldEndIndex: oldEnd,
    newEndIndex: newEnd,
    startPosition: from,
    oldEndPosition: pointAt(before, oldEnd, from, start),
    newEndPosition: pointAt(after, newEnd, from, start),
  });
}

/** The point of an index, counted on from the point of an earlier one. */
function pointAt(text: string, index: number, from: Point, fromIndex: number): Point {
  let { row } = from;
  let lineStart = fromIndex - from.column;
  for (let at = text.indexOf('\n', fromIndex); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) {
    row++;
    lineStart = at + 1;
  }
  return { row, column: index - lineStart };
}
