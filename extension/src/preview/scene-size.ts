/** How large the built-in scene is rendered for a panel: as many pixels as the panel shows, since more would be thrown away. */
import type { PanelView } from '../../../helper/protocol/webview';

export interface Size {
  readonly width: number;
  readonly height: number;
}

const LEAST_WIDTH = 640;
const MOST = { width: 1920, height: 1080 };
/** A panel that changes by less shows the scene scaled. */
const TOLERANCE = 1.2;

/** `shown`: the whole picture in device pixels. Keeps its shape, as far as the limits allow. */
export function sceneSize(shown: Size): Size {
  const most = Math.min(MOST.width / shown.width, MOST.height / shown.height);
  const scale = Math.min(Math.max(1, LEAST_WIDTH / shown.width), most);
  const even = (value: number) => Math.max(16, 2 * Math.round((value * scale) / 2));
  return { width: even(shown.width), height: even(shown.height) };
}

/** The view shows all of a frame of this size. */
export function showsAll({ rect }: PanelView, { width, height }: Size): boolean {
  const slack = 0.5;
  return rect.x <= slack && rect.y <= slack && rect.x + rect.width >= width - slack && rect.y + rect.height >= height - slack;
}

export function wholeOf({ width, height }: Size): PanelView['rect'] {
  return { x: 0, y: 0, width, height };
}

export function isWorthANewSize(now: Size, wanted: Size): boolean {
  const ratio = wanted.width / now.width;
  return ratio > TOLERANCE || ratio < 1 / TOLERANCE;
}
