// The facts of a class. Reading a part of it is noted, so that a changed method does not concern who asked for a field.
import type { ClassFacts, FunctionFacts, Span, Variable } from '../facts/index';
import type { Memory } from '../memo/memory';
import { sameList } from '../same-list';
import type { Node } from '../syntax/node';
import type { ClassDraft } from './context';

export class LoweredClass implements ClassFacts {
  readonly name: string;
  readonly node: Node;
  /** What is compared as text: kind, bases, what is declared only. */
  readonly shape: string;

  private constructor(
    private readonly draft: ClassDraft,
    readonly ownFields: readonly Variable[],
    readonly ownMethods: readonly FunctionFacts[],
    private readonly memory: Memory | undefined,
  ) {
    this.name = draft.name;
    this.node = draft.node;
    this.shape = JSON.stringify([draft.kind, draft.bases, draft.destructorElsewhere, draft.constructorElsewhere]);
  }

  /** The class of a draft; `before` itself where nothing about it has changed. */
  static of(draft: ClassDraft, before: LoweredClass | undefined, memory: Memory | undefined): LoweredClass {
    const fields = sameList(before?.ownFields ?? [], draft.fields);
    const methods = sameList(before?.ownMethods ?? [], draft.methods);
    const isSame = before && before.node === draft.node && before.ownFields === fields && before.ownMethods === methods;
    return isSame && before.name === draft.name ? before : new LoweredClass(draft, fields, methods, memory);
  }

  get kind() {
    return this.#shaped().kind;
  }
  get bases(): readonly string[] {
    return this.#shaped().bases;
  }
  get destructorElsewhere(): boolean {
    return this.#shaped().destructorElsewhere;
  }
  get constructorElsewhere(): boolean {
    return this.#shaped().constructorElsewhere;
  }
  get fields(): readonly Variable[] {
    this.memory?.note('fields of class', this.name, this.ownFields);
    return this.ownFields;
  }
  get methods(): readonly FunctionFacts[] {
    this.memory?.note('methods of class', this.name, this.ownMethods);
    return this.ownMethods;
  }
  get destructor(): FunctionFacts | undefined {
    return this.methods.find((method) => method.kind === 'destructor');
  }
  get span(): Span {
    this.memory?.note('place of class', this.name, this);
    return this.draft.span;
  }
  get nameSpan(): Span {
    this.memory?.note('place of class', this.name, this);
    return this.draft.nameSpan;
  }

  #shaped(): ClassDraft {
    this.memory?.note('shape of class', this.name, this.shape);
    return this.draft;
  }
}
