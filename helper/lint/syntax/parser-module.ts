// The WebAssembly module of web-tree-sitter, of which a thread has one. C that is interrupted, or whose stack runs over what lies below it, leaves
// memory that nobody can trust: then the module goes back to how it was when its grammars were loaded.
import { Parser, type Tree } from 'web-tree-sitter';
import type { Binding } from './binding';
import { ShadowStack } from './shadow-stack';

/** A text without a tree, with the reason. */
export interface Unparsed {
  readonly refused: string;
  /** The parser was stopped, and would have to be the next time. */
  readonly isTooHard?: true;
}

export function isUnparsed(parsed: object): parsed is Unparsed {
  return 'refused' in parsed;
}

interface Instance {
  readonly instance: object;
  readonly module: object;
}
declare const WebAssembly: { instantiate(bytes: Uint8Array, imports: object): Promise<Instance> };

interface Imports {
  readonly env: { readonly __stack_pointer: { value: number } };
}

/** More than what is free between two pieces of the heap: it comes from the end. */
const probeSize = 1024 * 1024;
/** The heap grows by multiples of this. */
const granularity = 64 * 1024;

export class ParserModule {
  /** Those that are neither freed nor lost. */
  readonly #trees = new Set<Tree>();
  /** Until it is renewed, which takes some room on the engine's stack. */
  #isSpoilt = false;
  /** How often C has failed otherwise than by a full stack, which is a fault to be reported. */
  traps = 0;
  #kept: { readonly at: number; readonly bytes: Uint8Array }[] = [];

  private constructor(
    readonly binding: Binding,
    readonly stack: ShadowStack,
  ) {}

  static async start(bytes: Uint8Array): Promise<ParserModule> {
    let pointer = { value: 0 };
    let fail: (error: unknown) => void;
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const instantiateWasm = (imports: Imports, receive: (instance: object, module: object) => void) => {
      pointer = imports.env.__stack_pointer;
      WebAssembly.instantiate(bytes, imports).then(({ instance, module }) => receive(instance, module), fail);
    };
    // The exports are put into the object that the options come from.
    const binding = { instantiateWasm, printErr: () => undefined } as object as Binding;
    await Promise.race([Parser.init(binding as object), failed]);
    return new ParserModule(binding, new ShadowStack(binding, pointer));
  }

  /** The state that `attempt` goes back to is that of now. */
  keep(): void {
    const probe = this.binding._malloc(probeSize);
    this.binding._free(probe);
    const parts = [
      { at: 0, end: this.stack.low },
      { at: this.stack.high, end: probe + probeSize + 2 * granularity },
    ];
    this.#kept = parts.map(({ at, end }) => ({ at, bytes: this.binding.HEAPU8.slice(at, end) }));
  }

  /**
   * What `work` gives. When the module fails in it all trees are lost, and it is done once more in a module as good as new, unless it would only
   * take as long to fail again.
   */
  attempt<T>(work: () => T): T | Unparsed {
    const first = this.#try(work);
    const outcome = first instanceof Failure && !isOfText(first) ? this.#try(work) : first;
    return outcome instanceof Failure ? { refused: outcome.reason } : outcome;
  }

  #try<T>(work: () => T): T | Failure {
    if (this.#isSpoilt) this.#renew();
    let failure: Failure | undefined;
    try {
      const result = work();
      if (this.stack.isSound) return result;
    } catch (error) {
      this.#isSpoilt = true;
      failure = failureOf(error);
      if (!isOfText(failure)) this.traps++;
    }
    this.#isSpoilt = true;
    this.#renew();
    if (failure?.cause) throw failure.cause;
    return failure ?? new Failure(tooDeep);
  }

  #renew(): void {
    for (const { at, bytes } of this.#kept) this.binding.HEAPU8.set(bytes, at);
    this.stack.reset();
    for (const tree of this.#trees) {
      // Nothing lies at its address any more, but the collector would free it.
      (tree as unknown as { 0: number })[0] = 0;
      tree.delete();
    }
    this.#trees.clear();
    this.#isSpoilt = false;
  }

  adopt(tree: Tree | null): Tree | null {
    if (tree) this.#trees.add(tree);
    return tree;
  }

  holds(tree: Tree): boolean {
    return this.#trees.has(tree);
  }

  free(tree: Tree | null): void {
    if (this.#isSpoilt) this.#renew();
    if (tree && this.#trees.delete(tree)) tree.delete();
  }
}

const noMemory = 'it takes more memory than the parser has';
const tooDeep = 'it is nested more deeply than the parser can follow';

/** It would only take as long to fail again, and is nobody's fault. */
function isOfText({ reason }: Failure): boolean {
  return reason === tooDeep || reason === noMemory;
}

class Failure {
  /** @param cause a fault of ours, to be thrown on */
  constructor(
    readonly reason: string,
    readonly cause?: unknown,
  ) {}
}

function failureOf(error: unknown): Failure {
  if (error instanceof RangeError && error.message.includes('call stack')) return new Failure(tooDeep);
  // What C says when it gets no memory.
  if (error instanceof Error && error.message.startsWith('Aborted(')) return new Failure(noMemory);
  const isOfModule = error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
  return isOfModule ? new Failure(`the parser failed on it (${error.message}). Please report this`) : new Failure('', error);
}
