import type { SeamDeviceReport } from '../../../helper/protocol/seamtest';
import { element, icon } from '../shared/dom';
import { type Card, cardsOf } from './card-values';

export function cards(device: SeamDeviceReport): HTMLElement {
  return element('div', { class: 'cards', role: 'group', 'aria-label': 'In short' }, ...cardsOf(device).map(card));
}

function card({ name, value, note, ok }: Card): HTMLElement {
  const mark = ok === undefined ? [] : [icon(ok ? 'pass' : 'error')];
  return element(
    'div',
    { class: `card ${ok === undefined ? '' : ok ? 'good' : 'bad'}` },
    element('span', { class: 'what' }, name),
    element('span', { class: 'figure' }, ...mark, value),
    ...(note ? [element('span', { class: 'note' }, note)] : []),
  );
}
