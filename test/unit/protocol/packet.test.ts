import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CHUNK_HEADER_BYTES,
  encodeChunkHeader,
  encodeJson,
  MAGIC,
  MAX_CHUNK_BYTES,
  MAX_JSON_BYTES,
  MAX_NOISE_BYTES,
  MAX_PICTURE_BYTES,
  PacketError,
  PacketKind,
  type PictureChunk,
} from '../../../helper/protocol/packet';
import { PacketDecoder } from '../../../helper/protocol/packet-decoder';

type Packet = { json: unknown } | { chunk: PictureChunk };

/** Pushes the stream in pieces cut at `cuts` and returns what came out. */
function decode(stream: Uint8Array, cuts: number[] = []): { packets: Packet[]; decoder: PacketDecoder } {
  const packets: Packet[] = [];
  const decoder = new PacketDecoder({ onJson: (json) => packets.push({ json }), onChunk: (chunk) => packets.push({ chunk }) });
  const edges = [0, ...cuts.map((cut) => cut % (stream.length + 1)).sort((a, b) => a - b), stream.length];
  edges.slice(1).forEach((end, i) => {
    decoder.push(stream.subarray(edges[i], end));
  });
  return { packets, decoder };
}

function encode(packet: Packet): Uint8Array {
  if ('json' in packet) return encodeJson(packet.json);
  return Buffer.concat([encodeChunkHeader(packet.chunk), packet.chunk.bytes]);
}

/** A packet header with any kind and length, then nothing. */
function rawHeader(kind: number, length: number, reserved = 0): Uint8Array {
  const header = Buffer.alloc(8);
  header[0] = kind;
  header[2] = reserved;
  header.writeUInt32LE(length, 4);
  return Buffer.concat([MAGIC, header]);
}

function chunkOf(offset: number, total: number, size: number): Uint8Array {
  return Buffer.concat([MAGIC, encode({ chunk: { viewId: 1, sequence: 1, offset, total, bytes: new Uint8Array(size) } })]);
}

const json = fc.jsonValue().map((value): Packet => ({ json: JSON.parse(JSON.stringify({ value })) }));
const chunk = fc
  .record({ viewId: fc.nat(), sequence: fc.nat(), offset: fc.nat(1000), rest: fc.nat(1000), bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }) })
  .map(({ rest, ...c }): Packet => ({ chunk: { ...c, total: c.offset + c.bytes.length + rest } }));
const noise = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.constantFrom('motd\n', '\0', '\0\xffSEAM', '\0\0').map((text) => new Uint8Array(Buffer.from(text, 'latin1'))),
);

describe('packet stream', () => {
  it('gives back every packet, cut anywhere, behind any noise', () => {
    fc.assert(
      fc.property(noise, fc.array(fc.oneof(json, chunk), { maxLength: 8 }), fc.array(fc.nat(5000)), (before, packets, cuts) => {
        const { packets: got, decoder } = decode(Buffer.concat([before, MAGIC, ...packets.map(encode)]), cuts);
        expect(got).toEqual(packets.map((p) => ('chunk' in p ? { chunk: { ...p.chunk, bytes: new Uint8Array(p.chunk.bytes) } } : p)));
        expect(decoder.atBoundary).toBe(true);
      }),
    );
  });

  it('gives back every packet when each byte comes alone', () => {
    const stream = Buffer.concat([
      Buffer.from('Last login: today\n'),
      MAGIC,
      encodeJson({ a: 1 }),
      encode({ chunk: { viewId: 1, sequence: 2, offset: 0, total: 3, bytes: new Uint8Array([1, 2, 3]) } }),
    ]);
    const { packets } = decode(stream, [...stream.keys()]);
    expect(packets).toHaveLength(2);
  });

  it('never throws anything but PacketError on garbage', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.array(fc.nat(500)), (garbage, cuts) => {
        try {
          decode(Buffer.concat([MAGIC, garbage]), cuts);
        } catch (error) {
          expect(error).toBeInstanceOf(PacketError);
        }
      }),
    );
  });

  it.each([
    ['an unknown kind', rawHeader(3, 10)],
    ['a non-zero reserved byte', rawHeader(PacketKind.json, 10, 1)],
    ['an empty message', rawHeader(PacketKind.json, 0)],
    ['a message above the limit', rawHeader(PacketKind.json, MAX_JSON_BYTES + 1)],
    ['a message of 4 GiB', rawHeader(PacketKind.json, 0xffffffff)],
    ['a chunk without bytes', rawHeader(PacketKind.chunk, CHUNK_HEADER_BYTES)],
    ['a chunk above the limit', rawHeader(PacketKind.chunk, CHUNK_HEADER_BYTES + MAX_CHUNK_BYTES + 1)],
    ['a chunk past the end of its picture', chunkOf(10, 19, 10)],
    ['a chunk whose offset wraps', chunkOf(0xffffffff, 100, 10)],
    ['a picture above the limit', chunkOf(0, MAX_PICTURE_BYTES + 1, 10)],
    ['a message that is not JSON', Buffer.concat([rawHeader(PacketKind.json, 3), Buffer.from('{{{')])],
    ['a message of broken UTF-8', Buffer.concat([rawHeader(PacketKind.json, 4), Buffer.from([0x22, 0xc3, 0x28, 0x22])])],
  ])('refuses %s', (_, stream) => {
    expect(() => decode(stream)).toThrow(PacketError);
  });

  it('gives up after 64 KiB of noise and keeps its beginning for the message', () => {
    const shell = Buffer.concat([Buffer.from('bash: seamscope: command not found\n'), Buffer.alloc(MAX_NOISE_BYTES - 100, 'x')]);
    const { decoder } = decode(shell);
    expect(decoder.started).toBe(false);
    expect(decoder.noise).toMatch(/^bash: seamscope: command not found/);
    expect(() => decoder.push(Buffer.alloc(200, 'x'))).toThrow(PacketError);
  });

  it('refuses to encode a message above the limit', () => {
    expect(() => encodeJson('x'.repeat(MAX_JSON_BYTES))).toThrow(PacketError);
  });
});
