import type { CompareMode, FrameInfo } from '../../../helper/protocol/frames';
import { element, press, row, textButton } from '../shared/dom';
import { describeMetrics, formatBytes } from './describe';
import { differenceLook, isSigned, recoloured } from './difference-look';
import type { Feature, Panel } from './feature';
import { Section } from './section';

const modes: { mode: CompareMode; label: string; title: string }[] = [
  { mode: 'off', label: 'Live', title: 'The frame alone' },
  { mode: 'difference', label: 'Difference', title: 'How far each value is from the reference (D)' },
  { mode: 'swipe', label: 'Swipe', title: 'The reference left of a line that can be dragged (D)' },
];

const signs: { signed: boolean; label: string; title: string }[] = [
  { signed: false, label: 'Absolute', title: 'How large the difference is' },
  { signed: true, label: 'Signed', title: 'Red where the frame has more than the reference, blue where it has less' },
];

interface Reference {
  reference: number;
  frame: number;
  output: string;
  bytes: number;
}

/** A frame kept as a reference, and the live one against it: beside each other, subtracted, in numbers. */
export class CompareSection implements Feature {
  readonly section: Section;
  readonly #panel: Panel;
  readonly #pin: HTMLButtonElement;
  readonly #what = element('span', { class: 'what' });
  readonly #modes: HTMLElement;
  readonly #signs: HTMLElement;
  readonly #signRow: HTMLElement;
  readonly #metrics = element('dl', { class: 'metrics' });
  readonly #details: HTMLElement;
  #reference: Reference | null = null;

  constructor(panel: Panel) {
    this.#panel = panel;
    this.#pin = textButton('', '', () => this.togglePin());
    const buttons = modes.map(({ mode, label, title }) => textButton(label, title, () => this.setMode(mode)));
    this.#modes = element('div', { class: 'buttons modes', role: 'group', 'aria-label': 'Comparison' }, ...buttons);
    const signButtons = signs.map(({ signed, label, title }) => textButton(label, title, () => this.setSigned(signed)));
    this.#signs = element('div', { class: 'buttons modes', role: 'group', 'aria-label': 'Difference' }, ...signButtons);
    this.#signRow = row('Values', this.#signs);
    this.#details = element('div', { class: 'details' }, row('Show', this.#modes), this.#signRow, this.#metrics);
    const reference = element('div', { class: 'reference' }, this.#pin, this.#what);
    this.section = new Section('Compare', false, panel.state, panel.remember, reference, this.#details);
    this.changed();
  }

  togglePin(): void {
    if (this.#reference) this.unpin();
    else void this.pin();
  }

  async pin(): Promise<void> {
    try {
      this.#reference = await this.#panel.host.request('pin', {});
      this.section.toggle(true);
      this.#set({ reference: this.#reference.reference });
      this.#panel.announce(`Frame ${this.#reference.frame} is the reference`);
    } catch (error) {
      this.#panel.announce(`Nothing was pinned: ${(error as Error).message}`);
    }
  }

  unpin(): void {
    const { reference } = this.#reference ?? {};
    this.#reference = null;
    this.#set({ mode: 'off', reference: 0 });
    // The engine forgets it with the source as well.
    if (reference) this.#panel.host.request('unpin', { reference }).catch(() => {});
  }

  setMode(mode: CompareMode): void {
    if (!this.#reference && mode !== 'off') this.#panel.announce('Pin a reference first');
    else this.#set({ mode });
  }

  setSigned(signed: boolean): void {
    const { look, output } = this.#panel.session;
    if (output && isSigned(look) !== signed)
      this.#panel.actions.changeLook(recoloured(look, signed ? 'diverging' : differenceLook(output).falseColor));
  }

  cycle(): void {
    const at = modes.findIndex(({ mode }) => mode === this.#panel.session.wishes.compare.mode);
    this.setMode(modes[(at + 1) % modes.length]!.mode);
  }

  changed(): void {
    const { mode } = this.#panel.session.wishes.compare;
    const reference = this.#reference;
    this.#pin.textContent = reference ? 'Unpin' : 'Pin This Frame';
    this.#pin.title = reference ? 'Forget the reference (P)' : 'Keep the frame on screen as the reference (P)';
    this.#what.textContent = reference
      ? `#${reference.frame} of ${reference.output}, ${formatBytes(reference.bytes)}`
      : 'Later frames are compared with it.';
    this.#details.hidden = !reference;
    [...this.#modes.children].forEach((button, at) => {
      press(button as HTMLElement, modes[at]!.mode === mode);
    });
    const { showsDifference, look, output } = this.#panel.session;
    this.#signRow.hidden = !showsDifference || output?.kind === 'id';
    [...this.#signs.children].forEach((button, at) => {
      press(button as HTMLElement, signs[at]!.signed === isSigned(look));
    });
    this.section.summary = reference ? `against #${reference.frame}` : '';
  }

  numbersShown(info: FrameInfo): void {
    const fitting = info.metrics && info.metrics.reference === this.#reference?.reference ? info.metrics : undefined;
    const entries = fitting ? describeMetrics(fitting) : [];
    const items = entries.flatMap(([name, value, title]) => [element('dt', { title }, name), element('dd', { title }, value)]);
    this.#metrics.replaceChildren(...items);
  }

  closed(): void {
    this.#reference = null;
    this.changed();
  }

  #set(change: Partial<{ mode: CompareMode; reference: number }>): void {
    Object.assign(this.#panel.session.wishes.compare, change);
    this.#panel.actions.wish();
  }
}
