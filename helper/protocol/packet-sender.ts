/**
 * Writes packets to a byte sink and stops whenever the sink is full. Messages overtake pictures: they pass between two chunks.
 * Pictures of different views take turns chunk by chunk; those of one view keep their order.
 */
import { encodeChunkHeader, encodeJson, MAGIC, MAX_CHUNK_BYTES, MAX_PICTURE_BYTES, PacketError } from './packet';

export interface ByteSink {
  /** False: full; write no more before `onDrain` calls. */
  write(bytes: Uint8Array): boolean;
  onDrain(resume: () => void): void;
}

interface QueuedPicture {
  sequence: number;
  bytes: Uint8Array;
  sent: number;
  /** Its `view/frame`, written right before the first chunk so that no message can come between. */
  announcement: Uint8Array | null;
  done: (sent: boolean) => void;
}

export class PacketSender {
  readonly #sink: ByteSink;
  #messages: Uint8Array[] = [MAGIC];
  #messageBytes = MAGIC.length;
  /** By view; a Map's order is the turn. */
  readonly #pictures = new Map<number, QueuedPicture[]>();
  #full = false;
  #closed = false;

  constructor(sink: ByteSink) {
    this.#sink = sink;
    sink.onDrain(() => {
      this.#full = false;
      this.#pump();
    });
    this.#pump();
  }

  /** Bytes of messages that wait for the reader. The owner stops taking requests while this is high. */
  get queuedMessageBytes(): number {
    return this.#messageBytes;
  }

  sendJson(message: unknown): void {
    if (this.#closed) return;
    const packet = encodeJson(message);
    this.#messages.push(packet);
    this.#messageBytes += packet.length;
    this.#pump();
  }

  /** Resolves true when the last byte was handed to the sink, false when the view was cancelled or the stream closed. */
  sendPicture(viewId: number, sequence: number, bytes: Uint8Array, announcement: unknown): Promise<boolean> {
    if (bytes.length === 0 || bytes.length > MAX_PICTURE_BYTES)
      return Promise.reject(new PacketError(`A picture of ${bytes.length} bytes cannot be sent.`));
    if (this.#closed) return Promise.resolve(false);
    return new Promise((done) => {
      const queue = this.#pictures.get(viewId) ?? [];
      queue.push({ sequence, bytes, sent: 0, announcement: encodeJson(announcement), done });
      this.#pictures.set(viewId, queue);
      this.#pump();
    });
  }

  /** Forgets what is queued for a view, a half-sent picture too: its receiver has forgotten the view. */
  cancelView(viewId: number): void {
    const queue = this.#pictures.get(viewId) ?? [];
    this.#pictures.delete(viewId);
    for (const picture of queue) picture.done(false);
  }

  close(): void {
    this.#closed = true;
    this.#messages = [];
    this.#messageBytes = 0;
    for (const viewId of [...this.#pictures.keys()]) this.cancelView(viewId);
  }

  #pump(): void {
    while (!this.#full && !this.#closed && (this.#sendMessage() || this.#sendChunk()));
  }

  #sendMessage(): boolean {
    const packet = this.#messages.shift();
    if (!packet) return false;
    this.#messageBytes -= packet.length;
    this.#write(packet);
    return true;
  }

  #sendChunk(): boolean {
    const [turn] = this.#pictures;
    if (!turn) return false;
    const [viewId, queue] = turn;
    const picture = queue[0]!;
    this.#writeChunk(viewId, picture);
    if (picture.sent === picture.bytes.length) queue.shift();
    this.#pictures.delete(viewId);
    if (queue.length > 0) this.#pictures.set(viewId, queue);
    if (picture.sent === picture.bytes.length) picture.done(true);
    return true;
  }

  #writeChunk(viewId: number, picture: QueuedPicture): void {
    const { sequence, sent: offset, bytes } = picture;
    const part = bytes.subarray(offset, offset + MAX_CHUNK_BYTES);
    if (picture.announcement) this.#write(picture.announcement);
    picture.announcement = null;
    this.#write(encodeChunkHeader({ viewId, sequence, offset, total: bytes.length, bytes: part }));
    this.#write(part);
    picture.sent += part.length;
  }

  /** The parts of one packet are written together even when the first fills the sink: a packet is never torn by a message. */
  #write(bytes: Uint8Array): void {
    if (!this.#sink.write(bytes)) this.#full = true;
  }
}
