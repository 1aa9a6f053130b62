import type { Size } from './camera';
import { element } from './dom';
import type { Notice } from './notice';
import type { StatusLine } from './status-line';
import type { Toolbar } from './toolbar';

export interface Stage {
  /** Takes focus, keys and the pointer. */
  root: HTMLElement;
  canvas: HTMLCanvasElement;
  /** Says changes that a screen reader should hear. */
  live: HTMLElement;
}

export function createStage(marker: HTMLElement): Stage {
  const canvas = element('canvas', { role: 'img', 'aria-label': 'No picture yet', width: '0', height: '0' });
  const live = element('div', { class: 'visually-hidden', 'aria-live': 'polite' });
  const keys =
    'Space pauses, plus and minus zoom, 0 fits, 1 is one to one, arrows move, Shift with arrows reads pixels, E changes exposure, R resets the look.';
  const root = element('div', { class: 'stage', tabindex: '0', role: 'group', 'aria-label': 'Picture', 'aria-description': keys }, canvas, marker);
  return { root, canvas, live };
}

export function mount(toolbar: Toolbar, stage: Stage, notice: Notice, status: StatusLine): void {
  document.body.append(toolbar.root, element('main', {}, stage.root, notice.root), status.root, stage.live);
  // Keys work as soon as the panel has focus.
  window.addEventListener('focus', () => {
    if (document.activeElement === document.body) stage.root.focus({ preventScroll: true });
  });
}

/** Calls back with the canvas' size in device pixels, now and whenever it changes. */
export function observeSize(canvas: HTMLCanvasElement, onSize: (size: Size) => void): void {
  const observer = new ResizeObserver(([entry]) => {
    const box = entry?.devicePixelContentBoxSize?.[0];
    if (box) onSize({ width: box.inlineSize, height: box.blockSize });
  });
  observer.observe(canvas, { box: 'device-pixel-content-box' });
}
