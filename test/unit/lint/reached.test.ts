// Generated functions that call each other have more ways than can be walked: what is reached by them is looked at to a bound.
import { expect, it } from 'vitest';
import { reachedEvents } from '../../../helper/lint/analyses/reached-events';
import { reachedCalls } from '../../../helper/lint/analyses/releases';
import { facts } from './harness';

const width = 20;
const names = Array.from({ length: width }, (_, i) => i);
const layer = (depth: number) =>
  names.map((i) => `void f${depth}_${i}() { ${depth > 0 ? names.map((to) => `f${depth - 1}_${to}();`).join(' ') : 'cuInit(0);'} }`);
const file = facts('a.cpp', names.slice(0, 6).flatMap(layer).join('\n'));
const [first] = file.functionsNamed('f5_0');

it.each([
  ['calls', reachedCalls],
  ['events', reachedEvents],
] as const)('%s', (_, reached) => {
  let found = 0;
  for (const _each of reached(file, first!)) found++;
  // Helpers of helpers are among them, and not all of the 20 ** 5.
  expect(found).toBeGreaterThan(width ** 3);
  expect(found).toBeLessThan(width ** 4);
});
