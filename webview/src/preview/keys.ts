import { type Actions, EXPOSURE_STEP, GAMMA_STEP, ZOOM_STEP } from './actions';
import type { Probe } from './probe';

/** Device pixels that Alt with an arrow key moves the picture. */
const PAN_STEP = 64;
/** Texels that Shift with an arrow key moves the crosshair. */
const LONG_STEP = 10;

const arrows: Record<string, [x: number, y: number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export interface KeyTargets {
  actions: Actions;
  probe: Probe;
  stepBack(): void;
  changeExposure(by: number): void;
  changeGamma(by: number): void;
  fitRange(): void;
  copyValue(): void;
  togglePin(): void;
  cycleCompare(): void;
  toggleInspector(): void;
}

/** Keys of the picture. Text fields and lists keep theirs. */
export function handleKeys(target: HTMLElement, to: KeyTargets): void {
  const { actions, probe } = to;
  const plain: Record<string, () => void> = {
    ' ': actions.togglePause,
    '.': actions.step,
    ',': to.stepBack,
    '+': () => actions.zoom(ZOOM_STEP),
    '=': () => actions.zoom(ZOOM_STEP),
    '-': () => actions.zoom(1 / ZOOM_STEP),
    '0': actions.fit,
    f: actions.fit,
    '1': actions.oneToOne,
    e: () => to.changeExposure(EXPOSURE_STEP),
    E: () => to.changeExposure(-EXPOSURE_STEP),
    g: () => to.changeGamma(GAMMA_STEP),
    G: () => to.changeGamma(-GAMMA_STEP),
    n: to.fitRange,
    r: actions.resetLook,
    c: to.copyValue,
    p: to.togglePin,
    d: to.cycleCompare,
    i: to.toggleInspector,
    Escape: () => probe.clear(),
  };
  target.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey) return;
    const arrow = arrows[event.key];
    const step = event.shiftKey ? LONG_STEP : 1;
    if (arrow && event.altKey) actions.pan(-arrow[0] * PAN_STEP, -arrow[1] * PAN_STEP);
    else if (arrow) probe.step(arrow[0] * step, arrow[1] * step);
    else if (plain[event.key] && !event.altKey) plain[event.key]!();
    else return;
    event.preventDefault();
  });
}
