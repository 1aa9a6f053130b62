import type { SeamProgress } from '../../../helper/protocol/seamtest';
import { element, textButton } from '../shared/dom';

/** What runs now; nothing while no test runs. */
export function progressBar(progress: SeamProgress | null, onCancel: () => void): HTMLElement[] {
  if (!progress) return [];
  const percent = Math.floor((100 * progress.done) / Math.max(progress.total, 1));
  return [
    element('progress', { max: '100', value: String(percent), 'aria-label': 'Seam test' }),
    element('span', { class: 'step' }, `${percent} %: ${progress.text}`),
    textButton('Cancel', 'Cancel the seam test', onCancel),
  ];
}
