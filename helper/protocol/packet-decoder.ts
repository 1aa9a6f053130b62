/** Bytes in, packets out, however the transport cut them. Holds at most one payload: memory is bounded by the largest packet. */
import { decodeChunk, decodeHeader, HEADER_BYTES, MAGIC, MAX_NOISE_BYTES, PacketError, PacketKind, type PictureChunk } from './packet';

export interface PacketHandler {
  onJson(message: unknown): void;
  /** The chunk's bytes are the handler's to keep. */
  onChunk(chunk: PictureChunk): void;
}

const NOISE_KEPT_BYTES = 2048;

export class PacketDecoder {
  readonly #handler: PacketHandler;
  readonly #header = new Uint8Array(HEADER_BYTES);
  readonly #noise: number[] = [];
  #magicMatched = 0;
  #noiseBytes = 0;
  #headerFilled = 0;
  #kind = 0;
  #payload: Uint8Array | null = null;
  #payloadFilled = 0;

  constructor(handler: PacketHandler) {
    this.#handler = handler;
  }

  /** True once the magic word has been seen. */
  get started(): boolean {
    return this.#magicMatched === MAGIC.length;
  }

  /** The beginning of what came before the magic word, as text: usually the reason why there is no stream. */
  get noise(): string {
    return new TextDecoder().decode(new Uint8Array(this.#noise)).trim();
  }

  /** True when the stream may end here: between two packets. */
  get atBoundary(): boolean {
    return this.#headerFilled === 0 && this.#payload === null;
  }

  /** Throws PacketError when the peer breaks the rules; the decoder is of no use afterwards. */
  push(input: Uint8Array): void {
    let at = 0;
    while (at < input.length) {
      if (!this.started) at = this.#searchMagic(input, at);
      else if (!this.#payload) at = this.#fillHeader(input, at);
      else at = this.#fillPayload(this.#payload, input, at);
    }
  }

  #searchMagic(input: Uint8Array, from: number): number {
    let at = from;
    while (at < input.length && !this.started) {
      const byte = input[at++]!;
      if (byte === MAGIC[this.#magicMatched]) this.#magicMatched++;
      else this.#skipNoise(byte);
    }
    return at;
  }

  #skipNoise(byte: number): void {
    const falseStart = MAGIC.subarray(0, this.#magicMatched);
    this.#magicMatched = byte === MAGIC[0] ? 1 : 0;
    const skipped = this.#magicMatched ? [...falseStart] : [...falseStart, byte];
    this.#noiseBytes += skipped.length;
    if (this.#noise.length < NOISE_KEPT_BYTES) this.#noise.push(...skipped);
    if (this.#noiseBytes > MAX_NOISE_BYTES) throw new PacketError(`No packet stream within the first ${MAX_NOISE_BYTES} bytes.`);
  }

  #fillHeader(input: Uint8Array, from: number): number {
    const part = input.subarray(from, from + HEADER_BYTES - this.#headerFilled);
    this.#header.set(part, this.#headerFilled);
    this.#headerFilled += part.length;
    if (this.#headerFilled === HEADER_BYTES) {
      const { kind, length } = decodeHeader(this.#header);
      this.#kind = kind;
      this.#payload = new Uint8Array(length);
      this.#payloadFilled = 0;
    }
    return from + part.length;
  }

  #fillPayload(payload: Uint8Array, input: Uint8Array, from: number): number {
    const part = input.subarray(from, from + payload.length - this.#payloadFilled);
    payload.set(part, this.#payloadFilled);
    this.#payloadFilled += part.length;
    if (this.#payloadFilled === payload.length) {
      this.#payload = null;
      this.#headerFilled = 0;
      this.#deliver(payload);
    }
    return from + part.length;
  }

  #deliver(payload: Uint8Array): void {
    if (this.#kind === PacketKind.chunk) this.#handler.onChunk(decodeChunk(payload));
    else this.#handler.onJson(parseJson(payload));
  }
}

function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    throw new PacketError(`A message of ${payload.length} bytes is not JSON.`);
  }
}
