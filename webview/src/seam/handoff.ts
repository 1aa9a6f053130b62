/** The hand-off list: what the next person who touches this seam must know. */
import type { SeamHandoff } from '../../../helper/protocol/seamtest';
import { element } from '../preview/dom';
import { folded } from './section';

const TITLES: Record<keyof SeamHandoff, string> = {
  interopPath: 'Interop path',
  transferPoints: 'Ownership and transfer points',
  freeOrder: 'Free order',
  buffering: 'Buffering',
  toleratedAsymmetries: 'Tolerated asymmetries',
  runsOnDevice: 'Runs on the device',
  runsOnHost: 'Runs on the host',
  evidence: 'Evidence',
};

export function handoffSection(handoff: SeamHandoff): HTMLElement {
  const keys = Object.keys(TITLES) as (keyof SeamHandoff)[];
  const parts = keys.flatMap((key) => [element('h3', {}, TITLES[key]), element('ul', {}, ...handoff[key].map((line) => element('li', {}, line)))]);
  return folded('Hand-off List', ...parts);
}
