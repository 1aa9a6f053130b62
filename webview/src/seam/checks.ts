import type { SeamCheck } from '../../../helper/protocol/seamtest';
import { section } from './section';
import { bad, good, table } from './table';

/** What must hold, failures first. */
export function checksSection(checks: SeamCheck[]): HTMLElement {
  const rows = checks
    .toSorted((a, b) => Number(a.ok) - Number(b.ok))
    .map(({ name, ok, message }) => [ok ? good('holds') : bad('FAILED'), name, message]);
  return section('Checks', table('Checks', ['Result', 'Check', 'Found'], rows));
}
