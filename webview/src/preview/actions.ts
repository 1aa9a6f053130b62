import type { Look } from './state';

/** What controls, keys and pointer can ask of the panel. One list, so that every control has a key or the reverse. */
export interface Actions {
  togglePause(): void;
  step(): void;
  fit(): void;
  oneToOne(): void;
  /** Around a canvas position in device pixels, or the middle. */
  zoom(factor: number, anchor?: { x: number; y: number }): void;
  /** By device pixels. */
  pan(x: number, y: number): void;
  /** Brings a texel to the middle of the canvas. */
  center(texel: { x: number; y: number }): void;
  selectOutput(source: string, output: string): void;
  /** Asks for image files to show. */
  watchFiles(): void;
  changeLook(change: Partial<Look>): void;
  resetLook(): void;
  save(): void;
  copyPicture(): void;
  record(): void;
  /** What the engine should send has changed. */
  wish(): void;
}

export const ZOOM_STEP = Math.SQRT2;
export const EXPOSURE_STEP = 0.25;
export const EXPOSURE_LIMIT = 10;
export const GAMMA_STEP = 0.1;
export const GAMMA_LIMITS = [0.2, 5] as const;
