/** The slices of a GPU in MIG mode: compute above memory, one column a slice. */
import { element } from '../../shared/dom';
import type { SliceBlock, SliceLayout } from '../model/slices';

/** As many colours as a chip has GPU instances. */
const COLOURS = 7;

export class SlicesView {
  readonly root = element('section', { class: 'block slices', 'aria-label': 'MIG layout', hidden: true });
  readonly #open: (device: string) => void;
  readonly #device: string;
  #shown = '';
  #words: string[] = [];

  /** `device` is the one that the panel is about. */
  constructor(device: string, open: (device: string) => void) {
    this.#device = device;
    this.#open = open;
  }

  /** Blocks in words, compute before memory. */
  get words(): string[] {
    return this.root.hidden ? [] : this.#words;
  }

  set layout(layout: SliceLayout | undefined) {
    this.root.hidden = layout === undefined;
    const shown = JSON.stringify(layout);
    if (!layout || shown === this.#shown) return;
    this.#shown = shown;
    this.#words = [...layout.compute, ...layout.memory].map((block) => `${this.#isOwn(block) ? '*' : ''}${block.title}`);
    const focused = (document.activeElement as HTMLElement | null)?.dataset.slice;
    this.root.replaceChildren(
      element('h2', {}, 'MIG layout'),
      this.#lane('Compute', layout.compute, layout.memorySlices),
      this.#lane('Memory', layout.memory, layout.memorySlices),
      ...(layout.exact
        ? []
        : [element('p', { class: 'note' }, 'The driver tells root alone where the slices lie: instances stand in the order of their ids.')]),
    );
    if (focused) this.root.querySelector<HTMLElement>(`[data-slice="${CSS.escape(focused)}"]`)?.focus();
  }

  #lane(name: string, blocks: SliceBlock[], columns: number): HTMLElement {
    const lane = element('div', { class: 'lane', role: 'list', 'aria-label': `${name} slices` }, ...blocks.map((block) => this.#block(name, block)));
    lane.style.setProperty('--columns', String(columns));
    return element('div', { class: 'lane-row' }, element('span', { class: 'lane-name', 'aria-hidden': 'true' }, name), lane);
  }

  #block(lane: string, block: SliceBlock): HTMLElement {
    const { devices, kind, group, title, label, size } = block;
    // A memory slice opens the first of the instances that share it, unless one of them is shown already.
    const device = this.#isOwn(block) ? this.#device : devices?.[0];
    const item = element('div', { role: 'listitem', class: 'slice-item' });
    item.style.gridColumn = `span ${size}`;
    const look = { class: `slice ${kind}${this.#isOwn(block) ? ' own' : ''}`, title, 'aria-label': title };
    const shown = device
      ? element(
          'button',
          { type: 'button', 'data-slice': `${lane} ${device}`, 'aria-current': this.#isOwn(block) ? 'true' : undefined, ...look },
          label,
        )
      : element('div', { role: 'img', ...look }, label);
    if (group !== undefined) shown.dataset.group = String(group % COLOURS);
    if (device && shown instanceof HTMLButtonElement) shown.addEventListener('click', () => this.#open(device));
    item.append(shown);
    return item;
  }

  #isOwn({ devices }: SliceBlock): boolean {
    return devices?.includes(this.#device) === true;
  }
}
