import type { Look } from './state';

/** What controls, keys and pointer can ask of the panel. One list, so that every control has a key or the reverse. */
export interface Actions {
  togglePause(): void;
  fit(): void;
  oneToOne(): void;
  /** Around a canvas position in device pixels, or the middle. */
  zoom(factor: number, anchor?: { x: number; y: number }): void;
  /** By device pixels. */
  pan(x: number, y: number): void;
  selectOutput(source: string, output: string): void;
  changeLook(change: Partial<Look>): void;
  resetLook(): void;
  save(): void;
  /** Canvas position in device pixels; null: the pointer left. */
  probe(at: { x: number; y: number } | null): void;
  /** By texels, from the keyboard. */
  moveProbe(x: number, y: number): void;
}

export const ZOOM_STEP = Math.SQRT2;
export const EXPOSURE_STEP = 0.25;
export const EXPOSURE_LIMIT = 10;
