import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FrameInfo } from '../../../helper/protocol/frames';
import { PacketError } from '../../../helper/protocol/packet';
import { PictureAssembler } from '../../../helper/protocol/picture-assembler';

const info = (viewId: number, sequence: number) => ({ viewId, sequence }) as FrameInfo;
const chunk = (viewId: number, sequence: number, offset: number, total: number, bytes: Uint8Array) => ({ viewId, sequence, offset, total, bytes });

function opened(...views: number[]): PictureAssembler {
  const assembler = new PictureAssembler();
  for (const view of views) assembler.open(view);
  return assembler;
}

describe('PictureAssembler', () => {
  it('gives back a picture cut into any chunks, mixed with another view', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 500 }), fc.array(fc.integer({ min: 1, max: 60 })), (picture, sizes) => {
        const assembler = opened(1, 2);
        assembler.announce(info(1, 7));
        assembler.announce(info(2, 7));
        const finished = [];
        for (let at = 0, i = 0; at < picture.length; i++) {
          const part = picture.subarray(at, at + (sizes[i] ?? 60));
          for (const view of [1, 2]) finished.push(assembler.add(chunk(view, 7, at, picture.length, part)));
          at += part.length;
        }
        expect(finished.filter((p) => p !== null).map((p) => [p.info.viewId, Buffer.from(p.bytes).equals(picture)])).toEqual([
          [1, true],
          [2, true],
        ]);
      }),
    );
  });

  it('ignores pictures of closed views and chunks nobody announced', () => {
    const assembler = opened(1);
    assembler.announce(info(1, 1));
    assembler.forget(1);
    assembler.announce(info(1, 2));
    for (const sequence of [1, 2, 3]) expect(assembler.add(chunk(1, sequence, 0, 1, new Uint8Array(1)))).toBeNull();
  });

  it.each([
    ['a gap', 2, 10],
    ['a repeated chunk', 0, 10],
    ['another total', 1, 11],
  ])('refuses %s', (_, offset, total) => {
    const assembler = opened(1);
    assembler.announce(info(1, 1));
    assembler.add(chunk(1, 1, 0, 10, new Uint8Array(1)));
    expect(() => assembler.add(chunk(1, 1, offset, total, new Uint8Array(1)))).toThrow(PacketError);
  });

  it('refuses to collect announcements without end', () => {
    const assembler = opened(1);
    expect(() => {
      for (let i = 1; i < 100; i++) assembler.announce(info(1, i));
    }).toThrow(PacketError);
  });
});
