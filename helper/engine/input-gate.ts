/** Stops reading while too much that was read waits: neither a flood of messages nor a peer that does not read its replies can grow memory. */
import type { Readable } from 'node:stream';

const MAX_WAITING_MESSAGES = 256;
const MAX_QUEUED_REPLY_BYTES = 1024 * 1024;
/** A peer that takes nothing for so long is taken for dead. */
const STALL_MS = 30_000;

export class InputGate {
  readonly #input: Readable;
  readonly #queuedReplyBytes: () => number;
  readonly #onStall: () => void;
  #waiting = 0;
  #stall: NodeJS.Timeout | undefined;

  constructor(input: Readable, queuedReplyBytes: () => number, onStall: () => void) {
    this.#input = input;
    this.#queuedReplyBytes = queuedReplyBytes;
    this.#onStall = onStall;
  }

  /** A message was read. */
  enter(): void {
    this.#waiting++;
    this.update();
  }

  /** A message is done with: a request when its reply was queued, others when they were handled. */
  leave(): void {
    this.#waiting--;
    this.update();
  }

  /** To be called as well whenever replies were written out. */
  update(): void {
    const shut = this.#waiting > MAX_WAITING_MESSAGES || this.#queuedReplyBytes() > MAX_QUEUED_REPLY_BYTES;
    if (!shut) this.#open();
    else if (this.#stall) this.#stall.refresh();
    else this.#shut();
  }

  close(): void {
    clearTimeout(this.#stall);
  }

  #shut(): void {
    this.#input.pause();
    this.#stall = setTimeout(this.#onStall, STALL_MS).unref();
  }

  #open(): void {
    if (!this.#stall) return;
    clearTimeout(this.#stall);
    this.#stall = undefined;
    this.#input.resume();
  }
}
