// What lowering one version of a text leaves for the next: facts made of nodes that stayed, good as long as the rest of the file answers
// what their making asked of it as it did then.
import type { Directive } from '../facts/index';
import { CommentMemo, type Comments } from '../suppress/comments';
import type { Node } from '../syntax/node';
import { ChunkMemo } from '../text/chunks';
import { detached } from '../text/detached';
import { DirectiveMemo } from '../text/directives';
import type { LoweredC } from './c/again';
import { lookedUpFunctions, lookupsIn } from './c/lookups';
import { type FileIdentity, LoweredFile } from './file-facts';
import type { LoweredFunction } from './function';

/** What the lowering of one function may ask of the rest of the file. Answers are compared as text. */
export type Question = 'type of global' | 'pointer field' | 'fields of class' | 'is class' | 'check' | 'import' | 'looked up' | 'aliases';

export type Asked = Map<Question, Map<string, string | undefined>>;

export interface Made {
  readonly value: unknown;
  /** Functions that came about with it. */
  readonly functions: readonly LoweredFunction[];
  readonly asked: Asked;
}

export class LoweringMemo {
  readonly #lookups = new ChunkMemo(lookupsIn);
  readonly #directives = new DirectiveMemo();
  readonly #comments = new CommentMemo();
  #ids = 0;
  #made = new WeakMap<Node, Map<string, Made>>();
  #basis = '';
  #file: LoweredFile | undefined;
  /** The last version of a C-family text, unless it was no text to be parsed. */
  last: LoweredC | undefined;

  /** Never the same twice, in all versions. */
  readonly nextId = (): number => this.#ids++;

  /** Forgets everything when what all functions depend on is not `basis` any more. */
  startOver(basis: string): void {
    if (basis !== this.#basis) {
      this.#made = new WeakMap();
      this.last = undefined;
    }
    this.#basis = basis;
  }

  /** There are facts to renew. */
  isFor({ path, language, arm }: FileIdentity): boolean {
    return this.#file !== undefined && this.#file.path === path && this.#file.language === language && this.#file.arm === arm;
  }

  /** The facts to renew. */
  fileFor(identity: FileIdentity): LoweredFile {
    if (!this.#file || !this.isFor(identity)) this.#file = new LoweredFile(identity, true);
    return this.#file;
  }

  directivesOf(view: string): readonly Directive[] {
    return this.#directives.of(view);
  }

  /** Of a C-family text. */
  commentsOf(text: string): Comments {
    return this.#comments.of(text);
  }

  /** What the text looks up by name. */
  lookedUp(text: string): ReadonlyMap<string, string> {
    return lookedUpFunctions(this.#lookups.of(text).flat());
  }

  made(node: Node, what: string): Made | undefined {
    return this.#made.get(node)?.get(what);
  }

  find(node: Node, what: string, answer: (question: Question, name: string) => string | undefined): Made | undefined {
    const made = this.#made.get(node)?.get(what);
    if (!made) return undefined;
    for (const [question, names] of made.asked) for (const [name, given] of names) if (answer(question, name) !== given) return undefined;
    return made;
  }

  keep(node: Node, what: string, made: Made): void {
    const known = this.#made.get(node);
    if (known) known.set(what, made);
    else this.#made.set(node, new Map([[what, made]]));
  }
}

const names = new Map<string, string>();

/** A copy that does not keep the long text alive that it is a part of. */
export function detachedText(part: string): string {
  const known = names.get(part);
  if (known !== undefined) return known;
  if (names.size > 50_000) names.clear();
  const copy = detached(part);
  names.set(copy, copy);
  return copy;
}
