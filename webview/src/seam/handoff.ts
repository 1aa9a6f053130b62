/** The hand-off list: what the next person who touches this seam must know. */
import { handoffTitles } from '../../../helper/protocol/seam-words';
import type { SeamHandoff } from '../../../helper/protocol/seamtest';
import { element } from '../shared/dom';
import { folded } from './section';

export function handoffSection(handoff: SeamHandoff): HTMLElement {
  const keys = Object.keys(handoffTitles) as (keyof SeamHandoff)[];
  const parts = keys.flatMap((key) => [
    element('h3', {}, handoffTitles[key]),
    element('ul', {}, ...handoff[key].map((line) => element('li', {}, line))),
  ]);
  return folded('Hand-off List', ...parts);
}
