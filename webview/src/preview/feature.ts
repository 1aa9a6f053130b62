import type { FrameInfo } from '../../../helper/protocol/frames';
import type { PanelInspection } from '../../../helper/protocol/webview';
import type { Actions } from './actions';
import type { Stage } from './layout';
import type { Host } from './link';
import type { Painter } from './painter';
import type { Session } from './session';
import type { PanelState } from './state';

/** A part of the panel that follows what happens in it. */
export interface Feature {
  /** Another picture is on screen. */
  pictureShown?(info: FrameInfo): void;
  /** The same, ten times a second at most and always for the last one: for what people read. */
  numbersShown?(info: FrameInfo): void;
  /** The camera or the canvas moved: texels lie elsewhere. */
  moved?(): void;
  /** Output, look or pause changed: what controls show. */
  changed?(): void;
  /** The engine's view is gone: numbers that it gave mean nothing any more. */
  closed?(): void;
}

/** What features may use of their panel. */
export interface Panel {
  readonly host: Host;
  readonly state: PanelState;
  readonly session: Session;
  readonly painter: Painter;
  readonly stage: Stage;
  readonly actions: Actions;
  /** Says a change to screen readers. */
  announce(text: string): void;
  /** Stores the state. */
  remember(): void;
  /** What the panel shows; `pixels` were read from its canvas. */
  inspect(pixels: number[]): PanelInspection;
}
