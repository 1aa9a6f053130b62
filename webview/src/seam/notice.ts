import { element, icon, textButton } from '../shared/dom';

/** A message with its next step, and buttons for it. */
export function notice(symbol: string, message: string, nextStep: string, actions: Record<string, () => void>): HTMLElement {
  const buttons = Object.entries(actions).map(([label, onClick]) => textButton(label, label, onClick));
  return element(
    'div',
    { class: `message ${symbol}`, role: symbol === 'error' ? 'alert' : 'status' },
    icon(symbol),
    element('div', {}, element('p', { class: 'what' }, message), element('p', {}, nextStep), element('div', { class: 'actions' }, ...buttons)),
  );
}
