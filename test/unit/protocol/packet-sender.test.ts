import { describe, expect, it } from 'vitest';
import { MAX_CHUNK_BYTES, PacketError } from '../../../helper/protocol/packet';
import { PacketDecoder } from '../../../helper/protocol/packet-decoder';
import { type ByteSink, PacketSender } from '../../../helper/protocol/packet-sender';

/** A reader that takes a given number of bytes and then says "full" until it is asked for more. */
class SlowSink implements ByteSink {
  readonly log: string[] = [];
  bytes = 0;
  #resume = () => {};
  #room: number;
  readonly #decoder = new PacketDecoder({
    onJson: (message) => this.log.push(JSON.stringify(message)),
    onChunk: (chunk) => this.log.push(`v${chunk.viewId} p${chunk.sequence} @${chunk.offset / MAX_CHUNK_BYTES}`),
  });

  constructor(room: number) {
    this.#room = room;
  }

  write(bytes: Uint8Array): boolean {
    this.bytes += bytes.length;
    this.#room -= bytes.length;
    this.#decoder.push(bytes);
    return this.#room > 0;
  }

  onDrain(resume: () => void): void {
    this.#resume = resume;
  }

  take(room: number): void {
    this.#room = room;
    this.#resume();
  }
}

const picture = (chunks: number) => new Uint8Array(chunks * MAX_CHUNK_BYTES);
const ONE_CHUNK = 1;

describe('PacketSender', () => {
  it('lets messages pass between the chunks of a picture', () => {
    const sink = new SlowSink(1);
    const sender = new PacketSender(sink);
    void sender.sendPicture(1, 1, picture(3), 'frame 1');
    sink.take(ONE_CHUNK);
    sender.sendJson('reply');
    sink.take(ONE_CHUNK);
    sink.take(Number.POSITIVE_INFINITY);
    expect(sink.log).toEqual(['"frame 1"', 'v1 p1 @0', '"reply"', 'v1 p1 @1', 'v1 p1 @2']);
  });

  it('takes turns between views and keeps the order within one', () => {
    const sink = new SlowSink(1);
    const sender = new PacketSender(sink);
    void sender.sendPicture(1, 1, picture(2), 'a1');
    void sender.sendPicture(1, 2, picture(1), 'a2');
    void sender.sendPicture(2, 1, picture(2), 'b1');
    sink.take(Number.POSITIVE_INFINITY);
    expect(sink.log).toEqual(['"a1"', 'v1 p1 @0', '"b1"', 'v2 p1 @0', 'v1 p1 @1', 'v2 p1 @1', '"a2"', 'v1 p2 @0']);
  });

  it('writes at most one packet more once the sink is full', () => {
    const sink = new SlowSink(1);
    const sender = new PacketSender(sink);
    void sender.sendPicture(1, 1, picture(20), 'frame');
    for (let i = 0; i < 1000; i++) sender.sendJson({ i });
    expect(sink.log).toEqual([]);
    expect(sender.queuedMessageBytes).toBeGreaterThan(10_000);
    sink.take(1);
    expect(sink.log).toHaveLength(1);
  });

  it('tells when a picture has gone, was cancelled, or can no longer go', async () => {
    const sink = new SlowSink(100);
    const sender = new PacketSender(sink);
    const sent = sender.sendPicture(1, 1, picture(1), 'frame');
    const cancelled = sender.sendPicture(1, 2, picture(1), 'frame');
    sender.cancelView(1);
    const closed = sender.sendPicture(2, 1, picture(1), 'frame');
    sender.close();
    expect(await Promise.all([sent, cancelled, closed, sender.sendPicture(2, 2, picture(1), 'frame')])).toEqual([true, false, false, false]);
  });

  it('refuses an empty picture', async () => {
    await expect(new PacketSender(new SlowSink(100)).sendPicture(1, 1, new Uint8Array(0), 'frame')).rejects.toThrow(PacketError);
  });
});
