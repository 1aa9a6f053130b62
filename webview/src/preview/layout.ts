import { element } from '../shared/dom';
import type { Size } from './camera';

export interface Stage {
  /** Takes focus, keys and the pointer. */
  root: HTMLElement;
  canvas: HTMLCanvasElement;
  /** Says changes that a screen reader should hear. */
  live: HTMLElement;
}

const KEYS = [
  'Space pauses, full stop and comma step.',
  'Plus and minus zoom, 0 fits, 1 is one to one.',
  'Arrows move the crosshair and read its texel, with Shift by ten; with Alt they move the picture. C copies the value.',
  'E changes exposure, G gamma, N fits the range, R resets the look.',
  'P pins a reference, D goes through the comparisons, B held shows the reference. I shows the inspector.',
].join(' ');

export function createStage(): Stage {
  const canvas = element('canvas', { role: 'img', 'aria-label': 'No picture yet', width: '0', height: '0' });
  const live = element('div', { class: 'visually-hidden', 'aria-live': 'polite' });
  const root = element('div', { class: 'stage', tabindex: '0', role: 'group', 'aria-label': 'Picture', 'aria-description': KEYS }, canvas);
  return { root, canvas, live };
}

/** Calls back with the canvas' size in device pixels, now and whenever it changes. */
export function observeSize(canvas: HTMLCanvasElement, onSize: (size: Size) => void): void {
  const observer = new ResizeObserver(([entry]) => {
    const box = entry?.devicePixelContentBoxSize?.[0];
    if (box) onSize({ width: box.inlineSize, height: box.blockSize });
  });
  observer.observe(canvas, { box: 'device-pixel-content-box' });
}
