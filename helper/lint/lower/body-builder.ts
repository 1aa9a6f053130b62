// Builds the control flow of one function. Knows no language: visitors call it.
import type { Block, Edge, Event, Expr, FunctionFacts, ScopeEnd, Span, Variable } from '../facts/index';
import { endOf } from '../syntax/node';

type Omitted = 'id' | 'fn' | 'block' | 'index';
/** An event as a visitor makes it, before it has a place. */
export type Draft<E extends Event = Event> = E extends Event ? Omit<E, Omitted> : never;

/** What has to happen when control leaves a region, and where jumps out of it go. */
interface Region {
  readonly variables: Variable[];
  /** Runs the end of a `with` or a `finally` once more for this way out. */
  readonly cleanup: (() => void) | undefined;
  readonly breakTo: number | undefined;
  readonly continueTo: number | undefined;
  readonly handler: number | undefined;
}

/** More blocks than this and the function is not worth a path analysis. */
const maxBlocks = 4000;

export class BodyBuilder {
  readonly blocks: Block[] = [];
  readonly events: Event[] = [];
  readonly exit: number;
  readonly throwExit: number;
  /** Control that reaches `abort()` ends here and nothing after it is a way out of the function. */
  readonly abortExit: number;
  readonly entry: number;
  #current: number;
  #regions: Region[] = [];
  readonly #labels = new Map<string, number>();

  constructor(
    readonly fn: FunctionFacts,
    private readonly nextId: () => number,
  ) {
    this.entry = this.newBlock();
    this.exit = this.newBlock();
    this.throwExit = this.newBlock();
    this.abortExit = this.newBlock();
    this.#current = this.entry;
  }

  get tooLarge(): boolean {
    return this.blocks.length > maxBlocks;
  }

  newBlock(): number {
    this.blocks.push({ id: this.blocks.length, events: [], edges: [] });
    return this.blocks.length - 1;
  }

  emit<E extends Event>(draft: Draft<E>): E {
    const block = this.blocks[this.#current]!;
    // Completed in place: copies of so many kinds of objects are slow.
    const event = draft as unknown as { -readonly [K in Omitted]: Event[K] };
    event.id = this.nextId();
    event.fn = this.fn;
    event.block = this.#current;
    event.index = block.events.length;
    return this.#add(block, event as unknown as E);
  }

  #add<E extends Event>(block: Block, event: E): E {
    block.events.push(event);
    this.events.push(event);
    return event;
  }

  /** Continues at a block; control falls into it from here. */
  enter(block: number): void {
    this.#edge({ to: block, when: undefined, kind: 'flow' });
    this.#current = block;
  }

  /** Continues at a block that only jumps lead to. */
  startAt(block: number): void {
    this.#current = block;
  }

  jump(to: number, kind: Edge['kind'] = 'flow'): void {
    this.#edge({ to, when: undefined, kind });
    this.#current = this.newBlock();
  }

  /** Ends the block with a test. The caller continues with `startAt`. */
  branch(expr: Expr, yes: number, no: number, joins?: true): void {
    this.emit({ kind: 'test', expr, span: expr.span, ...(joins && { joins }) });
    this.#edge({ to: yes, when: true, kind: 'flow' });
    this.#edge({ to: no, when: false, kind: 'flow' });
  }

  /** Leaves the function, the loop or the region at `depth`: ends the scopes on the way. */
  #unwind(depth: number, span: Span): void {
    const saved = this.#regions;
    for (let i = saved.length - 1; i >= depth; i--) {
      const region = saved[i]!;
      this.#regions = saved.slice(0, i);
      this.#endScope(region, span);
      region.cleanup?.();
    }
    this.#regions = saved;
  }

  #endScope(region: Region, span: Span): void {
    if (region.variables.length === 0) return;
    this.emit<ScopeEnd>({
      kind: 'scopeEnd',
      variables: [...region.variables].reverse(),
      context: undefined,
      span: endOf(span),
    });
  }

  leave(span: Span): void {
    this.#unwind(0, span);
    this.jump(this.exit);
  }

  raise(span: Span): void {
    const depth = this.#regions.findLastIndex((region) => region.handler !== undefined);
    this.#unwind(depth + 1, span);
    this.jump(depth >= 0 ? this.#regions[depth]!.handler! : this.throwExit, 'throw');
  }

  abort(): void {
    this.jump(this.abortExit);
  }

  breakOut(span: Span): void {
    this.#jumpOut('breakTo', span);
  }

  continueLoop(span: Span): void {
    this.#jumpOut('continueTo', span);
  }

  #jumpOut(target: 'breakTo' | 'continueTo', span: Span): void {
    const depth = this.#regions.findLastIndex((region) => region[target] !== undefined);
    if (depth < 0) return;
    this.#unwind(depth + 1, span);
    this.jump(this.#regions[depth]![target]!);
  }

  label(name: string): number {
    const known = this.#labels.get(name);
    if (known !== undefined) return known;
    const block = this.newBlock();
    this.#labels.set(name, block);
    return block;
  }

  scope(span: Span, body: () => void, cleanup?: () => void): void {
    const region: Region = { variables: [], cleanup, breakTo: undefined, continueTo: undefined, handler: undefined };
    this.#within(region, body);
    this.#endScope(region, span);
    cleanup?.();
  }

  loop(breakTo: number, continueTo: number | undefined, body: () => void): void {
    this.#within({ variables: [], cleanup: undefined, breakTo, continueTo, handler: undefined }, body);
  }

  /** Exceptions raised in `body` go to `handler`; any call in it may raise one, hence the `maybe` edges. */
  guarded(handler: number, body: () => void): void {
    const firstBlock = this.blocks.length;
    this.#maybe(this.#current, handler);
    this.#within({ variables: [], cleanup: undefined, breakTo: undefined, continueTo: undefined, handler }, body);
    for (let block = firstBlock; block < this.blocks.length; block++) this.#maybe(block, handler);
  }

  #maybe(from: number, to: number): void {
    if (from !== to) this.blocks[from]!.edges.push({ to, when: undefined, kind: 'maybe' });
  }

  #within(region: Region, body: () => void): void {
    this.#regions.push(region);
    body();
    this.#regions.pop();
  }

  /** A local whose end of scope can matter. */
  declare(variable: Variable): void {
    this.#regions.at(-1)?.variables.push(variable);
  }

  #edge(edge: Edge): void {
    this.blocks[this.#current]!.edges.push(edge);
  }
}
