// Nodes of a syntax tree, copied out of WASM: walking JavaScript objects is faster than crossing over per node.
import type { Span } from '../facts/expr';

export interface Node {
  readonly type: string;
  readonly named: boolean;
  readonly start: number;
  readonly end: number;
  readonly field: string | undefined;
  readonly children: readonly Node[];
  /** An ERROR or MISSING node lies at or below. */
  readonly broken: boolean;
  readonly anchor: Anchor;
}

/** The type of a node that is nested too deeply to be looked into: it has no children, whatever it was. */
export const tooDeep = 'too_deep';

/** Where a piece of a tree lies that is kept over edits: when the text before it changes it moves, and all that is measured from it. */
export class Anchor {
  constructor(public offset: number) {}
}

/** A span measured from an anchor. */
export class AnchoredSpan implements Span {
  readonly #anchor: Anchor;
  readonly #from: number;
  readonly #to: number;

  constructor(anchor: Anchor, from: number, to: number) {
    this.#anchor = anchor;
    this.#from = from;
    this.#to = to;
  }

  get start(): number {
    return this.#anchor.offset + this.#from;
  }
  get end(): number {
    return this.#anchor.offset + this.#to;
  }
  toEnd(): AnchoredSpan {
    return new AnchoredSpan(this.#anchor, this.#to, this.#to);
  }
  part(from: number, to: number): AnchoredSpan {
    return new AnchoredSpan(this.#anchor, this.#from + from, this.#from + to);
  }
}

/** The empty span where another ends. */
export function endOf(span: Span): Span {
  return span instanceof AnchoredSpan ? span.toEnd() : { start: span.end, end: span.end };
}

/** A part of a span, from and to offsets within it. */
export function partOf(span: Span, from: number, to: number): Span {
  return span instanceof AnchoredSpan ? span.part(from, to) : { start: span.start + from, end: span.start + to };
}

/** The span of a node; it moves with it. */
export function spanOf(node: Node): Span {
  return new AnchoredSpan(node.anchor, node.start - node.anchor.offset, node.end - node.anchor.offset);
}

/** From one offset to another near a node. */
export function spanNear({ anchor }: Node, start: number, end: number): Span {
  return new AnchoredSpan(anchor, start - anchor.offset, end - anchor.offset);
}

export function field(node: Node | undefined, name: string): Node | undefined {
  return node?.children.find((child) => child.field === name);
}

export function fields(node: Node, name: string): Node[] {
  return node.children.filter((child) => child.field === name);
}

/** Named children without comments. */
export function named(node: Node | undefined): Node[] {
  return node ? node.children.filter((child) => child.named && child.type !== 'comment' && child.type !== 'line_continuation') : [];
}

export function childOf(node: Node | undefined, ...types: string[]): Node | undefined {
  return node?.children.find((child) => types.includes(child.type));
}

export function hasToken(node: Node, text: string): boolean {
  return node.children.some((child) => !child.named && child.type === text);
}

/** Something at or below is nested too deeply. */
export function isTooDeep(node: Node): boolean {
  return node.broken && (node.type === tooDeep || node.children.some(isTooDeep));
}

export function contains(node: Node, test: (node: Node) => boolean): boolean {
  return test(node) || node.children.some((child) => contains(child, test));
}
