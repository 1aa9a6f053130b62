import { describe, expect, it } from 'vitest';
import { RestartBudget } from '../../../helper/engine/restart-budget';

/** Whether each crash, at the given second, may be followed by a restart. */
function verdicts(seconds: number[]): boolean[] {
  let now = 0;
  const budget = new RestartBudget(5, 180_000, () => now);
  return seconds.map((second) => {
    now = second * 1000;
    return budget.crash();
  });
}

describe('RestartBudget', () => {
  it.each([
    ['five crashes at once', [0, 0, 0, 0, 0], [true, true, true, true, false]],
    ['five crashes just within the window', [0, 45, 90, 135, 179], [true, true, true, true, false]],
    ['a fifth crash after the first has expired', [0, 45, 90, 135, 180], [true, true, true, true, true]],
    ['a slow trickle', [0, 60, 120, 180, 240, 300, 360], [true, true, true, true, true, true, true]],
  ])('%s', (_, seconds, expected) => {
    expect(verdicts(seconds)).toEqual(expected);
  });

  it('is whole again after the user restarted', () => {
    const budget = new RestartBudget(2, 1000, () => 0);
    expect([budget.crash(), budget.crash()]).toEqual([true, false]);
    budget.reset();
    expect(budget.crash()).toBe(true);
  });
});
