import { describe, expect, it } from 'vitest';
import { LinkGovernor } from '../../../helper/engine/link-governor';

/** Quality (of 80 wanted) after the given round trips, one after the other. */
function qualityAfter(...roundTrips: number[]): number {
  const governor = new LinkGovernor();
  let now = 0;
  for (const roundTrip of roundTrips) {
    governor.sent(now);
    now += roundTrip;
    governor.acknowledged(now);
  }
  return governor.quality(80);
}

const times = (count: number, ms: number) => Array<number>(count).fill(ms);

describe('LinkGovernor', () => {
  it.each([
    ['leaves a fast link alone', times(100, 30), 80],
    ['leaves a middling link alone', times(100, 200), 80],
    ['forgives single slow pictures', [...times(2, 900), 30, ...times(2, 900), 30], 80],
    ['lowers the quality of a slow link step by step', times(3, 400), 64],
    ['goes no lower than its last level', times(100, 900), 24],
    ['comes back when the link is fast again', [...times(3, 400), ...times(30, 50)], 80],
    ['does not hurry back', [...times(3, 400), ...times(29, 50)], 64],
  ])('%s', (_, roundTrips, quality) => {
    expect(qualityAfter(...roundTrips)).toBe(quality);
  });

  it('takes no sample from the credits granted before the first picture, and tells about changes only', () => {
    const governor = new LinkGovernor();
    expect([governor.acknowledged(0), governor.acknowledged(5000)]).toEqual([false, false]);
    for (let i = 0; i < 3; i++) governor.sent(0);
    expect([governor.acknowledged(400), governor.acknowledged(400), governor.acknowledged(400)]).toEqual([false, false, true]);
  });

  it('never raises a quality that is low already', () => {
    expect(new LinkGovernor().quality(5)).toBe(5);
  });
});
