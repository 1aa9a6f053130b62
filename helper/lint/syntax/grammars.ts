// The only module that knows web-tree-sitter. Bytes come from the caller: the lint core reads no files.
import { Edit, Language, Parser, type Point, type Tree } from 'web-tree-sitter';
import { editBetween, type TextEdit } from '../text/edit';
import { keepsStructure } from './alone';
import type { Node } from './node';
import { ParserModule, type Unparsed } from './parser-module';
import { exhaustion, interactive, memoryFor, type Patience } from './patience';
import { copyTree, TreeCopy } from './tree-copy';

export type GrammarName = 'cuda' | 'python';

export interface GrammarBytes {
  /** web-tree-sitter.wasm */
  readonly runtime: Uint8Array;
  readonly cuda: Uint8Array;
  readonly python: Uint8Array;
}

const tooHard: Unparsed = {
  refused: 'it is too hard to parse. Look for a bracket or a quote that is not closed, or name the file under "ignore" in seamscope.json',
  isTooHard: true,
};

/** The one module of this thread: web-tree-sitter makes no second one. */
let started: Promise<ParserModule> | undefined;
let loaded: Promise<Grammars> | undefined;

async function start(runtime: Uint8Array): Promise<ParserModule> {
  started ??= ParserModule.start(runtime);
  try {
    return await started;
  } catch (error) {
    started = undefined;
    throw error;
  }
}

export class Grammars {
  private constructor(
    readonly module: ParserModule,
    private readonly parsers: Record<GrammarName, Parser>,
  ) {}

  /** Once a thread; later calls give the same. */
  static async load(bytes: GrammarBytes): Promise<Grammars> {
    loaded ??= Grammars.#load(bytes);
    try {
      return await loaded;
    } catch (error) {
      loaded = undefined;
      throw error;
    }
  }

  static async #load(bytes: GrammarBytes): Promise<Grammars> {
    const module = await start(bytes.runtime);
    const parser = async (wasm: Uint8Array) => {
      const created = new Parser();
      created.setLanguage(await Language.load(wasm));
      return created;
    };
    const parsers = { cuda: await parser(bytes.cuda), python: await parser(bytes.python) };
    module.keep();
    return new Grammars(module, parsers);
  }

  /** Parses once and keeps nothing. */
  parse(grammar: GrammarName, text: string, patience = interactive): Node | Unparsed {
    return this.module.attempt(() => {
      const tree = this.#run(grammar, text, null, patience);
      try {
        return tree ? copyTree(this.module.binding, tree) : tooHard;
      } finally {
        this.module.free(tree);
      }
    });
  }

  /** A text that will be edited and parsed again. Call `dispose` when done. */
  open(grammar: GrammarName): EditableTree {
    return new EditableTree(this.module, (text, old, patience) => this.#run(grammar, text, old, patience));
  }

  #run(grammar: GrammarName, text: string, old: Tree | null, patience: Patience): Tree | null {
    const parser = this.parsers[grammar];
    const isOver = exhaustion(patience, text.length);
    const { binding } = this.module;
    const most = Math.max(binding.HEAPU8.length, memoryFor(text.length));
    const tree = parser.parse(old ? inParts(text) : text, old, { progressCallback: () => binding.HEAPU8.length > most || isOver() });
    // A parser that was stopped would go on with the stopped text.
    if (!tree) parser.reset();
    return this.module.adopt(tree);
  }
}

/** Of a text that it knows the parser reads places here and there, and is handed no more of each than it may need. */
function inParts(text: string): (index: number) => string {
  return (index) => {
    const end = index + partSize;
    const isTorn = end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!);
    return text.slice(index, isTorn ? end - 1 : end);
  };
}

const partSize = 1024;

/** Parses successive versions of one text, reusing what did not change. */
export class EditableTree {
  #tree: Tree | null = null;
  /** The one before, which nobody needs. */
  #outlived: Tree | null = null;
  #text = '';
  #copy: TreeCopy;

  constructor(
    private readonly module: ParserModule,
    private readonly run: (text: string, old: Tree | null, patience: Patience) => Tree | null,
  ) {
    this.#copy = new TreeCopy(module.binding);
  }

  /** Nodes that the change leaves alone are those of the last version, at their new place. */
  update(text: string, patience = interactive): Node | Unparsed {
    return this.module.attempt(() => this.#update(text, patience));
  }

  /** Gives back what the last update has left: that takes some time, and whoever waits for the update need not wait for it. */
  tidy(): void {
    this.module.free(this.#outlived);
    this.#outlived = null;
  }

  #update(text: string, patience: Patience): Node | Unparsed {
    this.tidy();
    const old = this.#tree && this.module.holds(this.#tree) ? this.#tree : null;
    const edit = old ? editBetween(this.#text, text) : undefined;
    if (old && edit) {
      if (text === this.#text && this.#copy.root) return this.#copy.root;
      old.edit(withPoints(edit, this.#text, text));
    } else this.#copy = new TreeCopy(this.module.binding);
    const made = edit && keepsStructure(this.#text, text, edit) ? this.#replaced(text, edit, patience) : undefined;
    this.#text = text;
    return made ?? this.#whole(text, old, edit, patience);
  }

  /** Of an edit inside of one declaration: the rest need not be read again. The tree of the module waits, with the edit noted. */
  #replaced(text: string, edit: TextEdit, patience: Patience): Node | undefined {
    return this.#copy.replace(
      text,
      edit,
      (own) => this.run(own, null, patience),
      (tree) => this.module.free(tree),
    );
  }

  #whole(text: string, old: Tree | null, edit: TextEdit | undefined, patience: Patience): Node | Unparsed {
    this.#tree = this.run(text, old, patience);
    this.#outlived = old;
    return this.#tree ? this.#copy.update(this.#tree, old ?? undefined, edit) : tooHard;
  }

  dispose(): void {
    this.tidy();
    this.module.free(this.#tree);
    this.#tree = null;
    this.#copy = new TreeCopy(this.module.binding);
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
