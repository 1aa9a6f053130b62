/** With several GPUs: copies between them, and memory imported on the wrong one. */
import type { SeamReport } from '../../../helper/protocol/seamtest';
import { element } from '../shared/dom';
import { grouped, us } from './numbers';
import { lead, section } from './section';
import { number, table, zero } from './table';

export function acrossSection({ copies, check, words }: NonNullable<SeamReport['across']>): HTMLElement {
  const rate = (bytes: number, micros: number | null) =>
    number(micros === null ? 'none' : `${us(micros)} µs, ${(bytes / micros / 1000).toFixed(1)} GB/s`);
  const rows = copies.map(({ from, ordinal, bytes, directUs, stagedUs, wordsWrong }) => [
    `CUDA ${from}`,
    `CUDA ${ordinal}`,
    rate(bytes, directUs),
    rate(bytes, stagedUs),
    number(grouped(bytes)),
    zero(wordsWrong),
  ]);
  const header = ['From', 'To', 'With peer access', 'Without', 'Bytes', 'Words wrong'];
  return section(
    'Across Devices',
    lead(`${check.ok ? 'Holds' : 'FAILED'}: ${check.message}.`),
    ...(rows.length > 0 ? [table('Across devices', header, rows)] : []),
    element('ul', {}, ...words.map((line) => element('li', {}, line))),
  );
}
