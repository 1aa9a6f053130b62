// What the lowering of all functions of one file shares.
import type { Expr, Language, Span, Variable } from '../facts/index';
import type { Knowledge } from '../knowledge/index';
import { type Node, spanOf } from '../syntax/node';
import type { LoweredFunction } from './function';

export { spanNear, spanOf } from '../syntax/node';

export interface ClassDraft {
  name: string;
  kind: 'class' | 'struct' | 'union';
  bases: string[];
  fields: Variable[];
  methods: LoweredFunction[];
  destructorElsewhere: boolean;
  constructorElsewhere: boolean;
  span: Span;
  nameSpan: Span;
}

export class FileContext {
  readonly functions: LoweredFunction[] = [];
  readonly classes = new Map<string, ClassDraft>();
  readonly globals: Variable[] = [];
  readonly imports = new Map<string, string>();
  #ids = 0;
  readonly #typesOfGlobals = new Map<string, string>();
  #indexed = 0;

  constructor(
    readonly text: string,
    readonly language: Language,
    readonly knowledge: Knowledge,
  ) {}

  /** The declared type of a global. */
  typeOfGlobal(name: string): string | undefined {
    for (; this.#indexed < this.globals.length; this.#indexed++)
      this.#typesOfGlobals.set(this.globals[this.#indexed]!.name, this.globals[this.#indexed]!.type);
    return this.#typesOfGlobals.get(name);
  }

  readonly nextId = (): number => this.#ids++;

  textOf(node: Node | Span): string {
    return this.text.slice(node.start, node.end);
  }

  /** Text with blanks normalised, for types and callees. */
  squeezed(node: Node | Span | undefined): string {
    return node
      ? this.textOf(node)
          .replace(/\s+/g, ' ')
          .replace(/ ?(::|->|\.|[*&<>,]) ?/g, '$1')
          .trim()
      : '';
  }
}

export function other(node: Node, operands: Expr[]): Expr {
  return { kind: 'other', operands, span: spanOf(node) };
}
