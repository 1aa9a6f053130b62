import type { FrameInfo } from '../../../helper/protocol/frames';
import { element } from '../shared/dom';
import { formatShort, hasNumbers } from './describe';
import type { Feature, Panel } from './feature';
import { MarkButtons } from './mark-buttons';
import { RangeSlider } from './range-slider';
import { Section } from './section';

/** What the values of the whole frame are: histogram, range, extremes, and the counts of those that should not be there. */
export class ValuesSection implements Feature {
  readonly section: Section;
  readonly range: RangeSlider;
  readonly marks: MarkButtons;
  readonly #panel: Panel;
  readonly #extremes = element('div', { class: 'extremes' });

  constructor(panel: Panel) {
    this.#panel = panel;
    this.range = new RangeSlider(panel);
    this.marks = new MarkButtons(panel);
    this.section = new Section('Values', true, panel.state, panel.remember, this.range.root, this.#extremes, this.marks.root);
    this.section.root.addEventListener('click', () => this.#wish());
  }

  changed(): void {
    this.section.root.hidden = this.#panel.session.drawn?.kind === 'id';
    this.range.changed();
    this.marks.changed();
    this.#wish();
  }

  numbersShown(info: FrameInfo): void {
    const { min, max, mean } = info.stats;
    this.range.numbersShown(info);
    this.marks.numbersShown(info);
    const middle = mean === undefined ? [] : [`mean ${formatShort(mean)}`];
    const has = hasNumbers(info);
    const texts = has ? [`min ${formatShort(min)}`, ...middle, `max ${formatShort(max)}`] : ['no finite values'];
    if (this.#extremes.childElementCount !== texts.length) this.#extremes.replaceChildren(...texts.map(() => element('span')));
    texts.forEach((text, at) => {
      this.#extremes.children[at]!.textContent = text;
    });
    this.section.summary = has ? `${formatShort(min)} … ${formatShort(max)}` : 'no finite values';
  }

  /** A histogram costs the engine time: it is asked for only while it is seen. */
  #wish(): void {
    const seen = this.section.isOpen && this.section.root.offsetParent !== null;
    if (this.#panel.session.wishes.histogram === seen) return;
    this.#panel.session.wishes.histogram = seen;
    this.#panel.actions.wish();
  }
}
