// The stack that C keeps in the memory of its module, beside the one of the engine. web-tree-sitter comes with 64 KiB, below which its own data
// lie and nobody looks: merging two readings of two thousand comments in a row runs over them.
import type { Binding } from './binding';

/** The stack of a thread of Node is full before this one is: a call takes more there. Pages that are never reached take no memory. */
const size = 4 * 1024 * 1024;
/** At the lower end. Frames of functions that call themselves are smaller. */
const guardSize = 1024;
const guardByte = 0xa5;
const alignment = 16;

export class ShadowStack {
  readonly low: number;
  readonly high: number;

  /** @param pointer the global of the module that says how far its stack reaches down; nothing may be on it */
  constructor(
    private readonly binding: Binding,
    private readonly pointer: { value: number },
  ) {
    this.low = binding._malloc(size);
    this.high = this.low + size;
    this.reset();
  }

  /** Forgets what is on it. */
  reset(): void {
    this.pointer.value = this.high - (this.high % alignment);
    this.binding.HEAPU8.fill(guardByte, this.low, this.low + guardSize);
  }

  /** Nothing has run over its lower end. */
  get isSound(): boolean {
    return this.binding.HEAPU8.subarray(this.low, this.low + guardSize).every((byte) => byte === guardByte);
  }
}
