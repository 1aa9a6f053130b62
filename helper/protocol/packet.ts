/**
 * The packet stream between a client and the engine. Each direction begins with MAGIC; whatever a shell or a driver printed before it is noise.
 * Then packets follow: kind (u8), three zero bytes, payload length (u32, little endian), payload.
 * A chunk's payload is viewId, sequence, offset, total (u32 each, little endian) and then the bytes of a picture from `offset` on.
 */

/** Its first byte occurs in it only once, so that one counter is enough to search for it. */
export const MAGIC = new Uint8Array([0x00, 0xff, ...[...'SEAMSCOPE'].map((letter) => letter.charCodeAt(0)), 0x0a]);

export const PacketKind = { json: 1, chunk: 2 } as const;

export const HEADER_BYTES = 8;
export const CHUNK_HEADER_BYTES = 16;
/** Picture bytes in one chunk: RPC packets pass between chunks. */
export const MAX_CHUNK_BYTES = 64 * 1024;
export const MAX_JSON_BYTES = 4 * 1024 * 1024;
export const MAX_NOISE_BYTES = 64 * 1024;
/** A 7680x4320 RGBA picture is 127 MiB. */
export const MAX_PICTURE_BYTES = 160 * 1024 * 1024;

export interface PictureChunk {
  viewId: number;
  sequence: number;
  offset: number;
  /** Bytes of the whole picture. */
  total: number;
  bytes: Uint8Array;
}

/** The other side broke the rules of the stream: nothing after this can be trusted, so the connection ends. */
export class PacketError extends Error {
  override readonly name = 'PacketError';
}

export function encodeJson(message: unknown): Uint8Array {
  const body = new TextEncoder().encode(JSON.stringify(message));
  if (body.length > MAX_JSON_BYTES) throw new PacketError(`A message of ${body.length} bytes is above the limit of ${MAX_JSON_BYTES}.`);
  const packet = new Uint8Array(HEADER_BYTES + body.length);
  writeHeader(packet, PacketKind.json, body.length);
  packet.set(body, HEADER_BYTES);
  return packet;
}

/** Everything of a chunk packet but the picture's bytes, which are written after it without a copy. */
export function encodeChunkHeader(chunk: PictureChunk): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES + CHUNK_HEADER_BYTES);
  writeHeader(header, PacketKind.chunk, CHUNK_HEADER_BYTES + chunk.bytes.length);
  const view = new DataView(header.buffer);
  [chunk.viewId, chunk.sequence, chunk.offset, chunk.total].forEach((value, i) => {
    view.setUint32(HEADER_BYTES + 4 * i, value, true);
  });
  return header;
}

/** Reads a chunk's payload; the bytes alias `payload`. */
export function decodeChunk(payload: Uint8Array): PictureChunk {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const [viewId, sequence, offset, total] = [0, 4, 8, 12].map((at) => view.getUint32(at, true)) as [number, number, number, number];
  const bytes = payload.subarray(CHUNK_HEADER_BYTES);
  if (total > MAX_PICTURE_BYTES) throw new PacketError(`A picture of ${total} bytes is above the limit of ${MAX_PICTURE_BYTES}.`);
  if (offset + bytes.length > total)
    throw new PacketError(`A chunk of ${bytes.length} bytes at ${offset} reaches past its picture of ${total} bytes.`);
  return { viewId, sequence, offset, total, bytes };
}

/** Payload length of a packet by its header. Throws PacketError on a kind or a length that no honest peer sends. */
export function decodeHeader(header: Uint8Array): { kind: number; length: number } {
  const [kind = 0, ...zeros] = header.subarray(0, 4);
  const length = new DataView(header.buffer, header.byteOffset).getUint32(4, true);
  const limits = PAYLOAD_LIMITS.get(kind);
  if (!limits || zeros.some((byte) => byte !== 0)) throw new PacketError(`Unknown packet header ${[...header].map(hex).join(' ')}.`);
  if (length < limits.min || length > limits.max)
    throw new PacketError(`A packet of kind ${kind} declares ${length} bytes; allowed are ${limits.min} to ${limits.max}.`);
  return { kind, length };
}

const PAYLOAD_LIMITS = new Map<number, { min: number; max: number }>([
  [PacketKind.json, { min: 2, max: MAX_JSON_BYTES }],
  [PacketKind.chunk, { min: CHUNK_HEADER_BYTES + 1, max: CHUNK_HEADER_BYTES + MAX_CHUNK_BYTES }],
]);

function writeHeader(packet: Uint8Array, kind: number, length: number): void {
  packet[0] = kind;
  new DataView(packet.buffer).setUint32(4, length, true);
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
