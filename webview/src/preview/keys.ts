import { type Actions, ZOOM_STEP } from './actions';

/** Device pixels that an arrow key moves the picture. */
const PAN_STEP = 64;

const arrows: Record<string, [x: number, y: number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Keys of the picture. Text fields and lists keep theirs. */
export function handleKeys(target: HTMLElement, actions: Actions, changeExposure: (steps: number) => void): void {
  const plain: Record<string, () => void> = {
    ' ': actions.togglePause,
    '+': () => actions.zoom(ZOOM_STEP),
    '=': () => actions.zoom(ZOOM_STEP),
    '-': () => actions.zoom(1 / ZOOM_STEP),
    '0': actions.fit,
    '1': actions.oneToOne,
    e: () => changeExposure(1),
    E: () => changeExposure(-1),
    r: actions.resetLook,
    Escape: () => actions.probe(null),
  };
  target.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = arrows[event.key];
    if (arrow && event.shiftKey) actions.moveProbe(...arrow);
    else if (arrow) actions.pan(-arrow[0] * PAN_STEP, -arrow[1] * PAN_STEP);
    else if (plain[event.key]) plain[event.key]!();
    else return;
    event.preventDefault();
  });
}
