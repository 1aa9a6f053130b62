import { element } from '../shared/dom';
import { type Dock, dock } from './dock';
import type { Feature, Panel } from './feature';
import type { Section } from './section';

/** The foldable sections beside the picture: how values become colours, what they are, how frames arrive. */
export class Inspector implements Feature {
  readonly root = element('aside', { class: 'inspector', 'aria-label': 'Inspector', hidden: true });
  readonly #panel: Panel;
  readonly #main: HTMLElement;
  readonly #onPlaced: (open: boolean) => void;
  #dock: Dock | null = null;

  /** `main` holds stage and inspector; `onPlaced` hears whether the inspector is open. */
  constructor(panel: Panel, main: HTMLElement, sections: Section[], onPlaced: (open: boolean) => void) {
    this.#panel = panel;
    this.#main = main;
    this.#onPlaced = onPlaced;
    this.root.append(element('div', { class: 'sections' }, ...sections.map(({ root }) => root)));
    new ResizeObserver(() => this.#place()).observe(main);
  }

  toggle(): void {
    this.#panel.state.inspector = this.root.hidden ? 'open' : 'closed';
    this.#panel.actions.wish();
  }

  changed(): void {
    this.#place();
  }

  #place(): void {
    const room = { width: this.#main.clientWidth, height: this.#main.clientHeight };
    const frame = this.#panel.session.frameSize;
    if (room.width === 0 || room.height === 0) return;
    const { side, open } = dock(room, frame, this.#panel.state.inspector, this.#dock);
    this.#dock = { side, open };
    const before = this.root.hidden;
    this.root.hidden = !open || !this.#panel.session.output;
    // Sections ask the engine for what is only worth its time while they are seen.
    if (before !== this.root.hidden) queueMicrotask(this.#panel.actions.wish);
    this.#main.style.setProperty('--picture-height', `${Math.round((room.width * frame.height) / frame.width)}px`);
    this.#main.classList.toggle('beside', side === 'right');
    this.#onPlaced(!this.root.hidden);
  }
}
