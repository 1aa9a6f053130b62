// The innermost function around a place, over all arms.
import type { FileFacts, FunctionFacts, Span } from './facts/index';
import { countWhere } from './sorted';

export class Scopes {
  readonly #arms: readonly Arm[];

  constructor(facts: readonly FileFacts[]) {
    this.#arms = facts.map((file) => new Arm(file.functions.filter(({ kind }) => kind !== 'module' && kind !== 'lambda')));
  }

  /** Its name; empty outside of functions. */
  at(span: Span): string {
    let best: Around | undefined;
    for (const arm of this.#arms) {
      const found = arm.around(span);
      if (!best || (found && (found.size < best.size || (found.size === best.size && found.start < best.start)))) best = found ?? best;
    }
    return best?.fn.qualifiedName ?? '';
  }
}

interface Around {
  readonly fn: FunctionFacts;
  readonly start: number;
  readonly size: number;
}

/** Made for each version of a text, so it holds numbers, not objects. */
class Arm {
  readonly #functions: readonly FunctionFacts[];
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  /** The farthest end of the functions up to each. */
  readonly #reach: Int32Array;

  constructor(functions: readonly FunctionFacts[]) {
    const { length } = functions;
    [this.#starts, this.#ends, this.#reach] = [new Int32Array(length), new Int32Array(length), new Int32Array(length)];
    this.#functions = this.#note(functions) ? functions : [...functions].sort((a, b) => a.span.start - b.span.start);
    if (this.#functions !== functions) this.#note(this.#functions);
  }

  /** False when they are not in order of the text. */
  #note(functions: readonly FunctionFacts[]): boolean {
    let farthest = 0;
    let isOrdered = true;
    for (let i = 0; i < functions.length; i++) {
      const { start, end } = functions[i]!.span;
      isOrdered &&= i === 0 || this.#starts[i - 1]! <= start;
      farthest = Math.max(farthest, end);
      this.#starts[i] = start;
      this.#ends[i] = end;
      this.#reach[i] = farthest;
    }
    return isOrdered;
  }

  around({ start, end }: Span): Around | undefined {
    let best = -1;
    for (let i = this.#lastBefore(start); i >= 0 && this.#reach[i]! >= end; i--)
      if (this.#ends[i]! >= end && (best < 0 || this.#sizeOf(i) <= this.#sizeOf(best))) best = i;
    return best < 0 ? undefined : { fn: this.#functions[best]!, start: this.#starts[best]!, size: this.#sizeOf(best) };
  }

  #sizeOf(i: number): number {
    return this.#ends[i]! - this.#starts[i]!;
  }

  /** The last function that begins at or before an offset. */
  #lastBefore(start: number): number {
    return countWhere(this.#starts, (each) => each <= start) - 1;
  }
}
