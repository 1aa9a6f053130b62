import type { FrameInfo } from '../../../helper/protocol/frames';
import { element, iconButton, textButton } from '../shared/dom';
import { formatBytes } from './describe';
import type { Feature, Panel } from './feature';

/** Below the picture while it is paused: one frame back and forth, and a bar over the frames that the engine has kept. */
export class Transport implements Feature {
  readonly root: HTMLElement;
  readonly #panel: Panel;
  readonly #bar = element('input', { type: 'range', class: 'scrub', min: '0', step: '1', 'aria-label': 'Kept frames', title: 'Kept frames' });
  readonly #frame = element('output', { class: 'value' });
  readonly #budget = element('span', {
    class: 'budget',
    title: 'Host memory of all kept frames, and its limit (setting "seamscope.preview.historyBudget")',
  });
  #frames: number[] = [];
  #shown: number | null = null;
  #asking = false;

  constructor(panel: Panel) {
    this.#panel = panel;
    this.#bar.addEventListener('input', () => this.show(this.#frames[this.#bar.valueAsNumber] ?? null));
    this.root = element(
      'div',
      { class: 'transport', role: 'group', 'aria-label': 'Kept frames', hidden: true },
      iconButton('chevron-left', 'Previous Kept Frame', ',', () => this.step(-1)),
      iconButton('chevron-right', 'Next Frame', '.', () => this.step(1)),
      this.#bar,
      this.#frame,
      this.#budget,
      textButton('Live', 'Go on with the newest frame (Space)', panel.actions.togglePause),
    );
  }

  changed(): void {
    const { paused } = this.#panel.state;
    if (this.root.hidden && paused) void this.#refresh();
    this.root.hidden = !paused;
    if (!paused) this.#panel.session.wishes.history = null;
  }

  pictureShown(info: FrameInfo): void {
    this.#shown = info.frame;
    if (info.history) this.#budget.textContent = `${formatBytes(info.history.bytes)} of ${formatBytes(info.history.budget)}`;
    if (this.#panel.state.paused && !this.#frames.includes(info.frame)) void this.#refresh();
    this.#update();
  }

  closed(): void {
    this.#frames = [];
    this.#update();
  }

  /** A kept frame; null: the newest. */
  show(frame: number | null): void {
    this.#panel.session.wishes.history = frame;
    this.#panel.actions.wish();
    this.#update();
  }

  /** Through the kept frames; past the newest the producer is asked for its next one. */
  step(by: 1 | -1): void {
    const { state, session, actions, host } = this.#panel;
    if (!state.paused) actions.togglePause();
    const at = this.#position;
    const next = at < 0 ? undefined : this.#frames[at + by];
    if (next !== undefined) this.show(next);
    else if (by < 0) this.#panel.announce('This is the oldest kept frame');
    else {
      session.wishes.history = null;
      actions.wish();
      host.request('step', {}).catch((error: Error) => this.#panel.announce(error.message));
    }
  }

  get #position(): number {
    const frame = this.#panel.session.wishes.history ?? this.#shown;
    return frame === null ? -1 : this.#frames.indexOf(frame);
  }

  async #refresh(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    // Nothing kept: the bar says so.
    const kept = await this.#panel.host.request('history', {}).catch(() => null);
    this.#asking = false;
    this.#frames = kept?.frames ?? [];
    if (kept) this.#budget.textContent = `${formatBytes(kept.bytes)} of ${formatBytes(kept.budget)}`;
    this.#update();
  }

  #update(): void {
    const { length } = this.#frames;
    const at = this.#position;
    this.#bar.disabled = length < 2;
    this.#bar.max = String(Math.max(length - 1, 0));
    this.#bar.value = String(at < 0 ? length - 1 : at);
    this.#bar.style.setProperty('--part', `${length < 2 ? 100 : (Number(this.#bar.value) / (length - 1)) * 100}%`);
    this.#frame.value = length === 0 ? 'nothing kept' : `${(at < 0 ? length : at + 1).toString()} of ${length}`;
  }
}
