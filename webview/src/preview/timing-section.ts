import type { FrameInfo } from '../../../helper/protocol/frames';
import { element } from '../shared/dom';
import { shape, svg } from '../shared/svg';
import { formatCount } from './describe';
import type { Feature, Panel } from './feature';
import { Section } from './section';
import { describeDrawn, type Stage, stackedBars, stages, Timeline, timesOf, total } from './timeline';

const names: Record<Stage, string> = { produce: 'Producer', handoff: 'Hand-off', ingest: 'Ingest', view: 'View', encode: 'Encode', draw: 'Draw' };
const HEIGHT = 48;
const INTERVAL = 200;

/** A bar a picture, a colour a stage; and how many frames never became one. */
export class TimingSection implements Feature {
  readonly section: Section;
  readonly #panel: Panel;
  readonly #timeline = new Timeline();
  readonly #paths = Object.fromEntries(stages.map((stage) => [stage, shape('path', { class: `stage-${stage}` })])) as Record<Stage, SVGElement>;
  readonly #top = element('span', { class: 'top' });
  readonly #means = Object.fromEntries(stages.map((stage) => [stage, element('span', { class: 'mean' })])) as Record<Stage, HTMLElement>;
  readonly #counts = element('div', { class: 'counts' });
  #drawnAt = 0;

  constructor(panel: Panel) {
    this.#panel = panel;
    const viewBox = `0 0 ${this.#timeline.length} ${HEIGHT}`;
    const chart = svg(
      { viewBox, preserveAspectRatio: 'none', role: 'img', 'aria-label': 'Time of each picture by stage' },
      ...stages.map((stage) => this.#paths[stage]),
    );
    const legend = stages.map((stage) => element('span', {}, element('span', { class: `swatch stage-${stage}` }), names[stage], this.#means[stage]));
    this.section = new Section(
      'Timing',
      false,
      panel.state,
      panel.remember,
      element('div', { class: 'chart' }, chart, this.#top),
      element('div', { class: 'legend' }, ...legend),
      this.#counts,
    );
    this.section.root.addEventListener('click', () => this.#draw());
  }

  pictureShown(info: FrameInfo): void {
    // A picture at rest took its time once, however often it is looked at again.
    if (!info.lossless) this.#timeline.add(timesOf(info, this.#panel.painter.drawTime));
    const now = performance.now();
    if (now - this.#drawnAt < INTERVAL) return;
    this.#drawnAt = now;
    this.#draw();
  }

  numbersShown(info: FrameInfo): void {
    this.#counts.textContent = [describeDrawn(info), `${formatCount(info.dropped)} dropped`, `${formatCount(info.skipped ?? 0)} skipped`]
      .filter(Boolean)
      .join(', ');
    this.#counts.title =
      'Dropped: the panel was still busy with an earlier frame. Skipped: the program did not hand the frame over. The cheaper of the two view passes draws.';
  }

  closed(): void {
    this.#timeline.clear();
    this.#draw();
  }

  #draw(): void {
    const mean = this.#timeline.mean();
    this.section.summary = this.#timeline.frames.length > 0 ? `${total(mean).toFixed(1)} ms` : '';
    if (!this.section.isOpen) return;
    const top = this.#timeline.top();
    const paths = stackedBars(this.#timeline.frames, this.#timeline.length, HEIGHT, top);
    for (const stage of stages) {
      this.#paths[stage].setAttribute('d', paths[stage]);
      this.#means[stage].textContent = `${mean[stage].toFixed(1)} ms`;
    }
    this.#top.textContent = `${top} ms`;
  }
}
