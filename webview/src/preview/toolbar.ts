import type { OutputDescription, SourceDescription } from '../../../helper/protocol/frames';
import { type Actions, ZOOM_STEP } from './actions';
import { element, icon, iconButton, select } from './dom';
import { LookControls } from './look-controls';
import type { Look } from './state';

const SEPARATOR = '\n';

/** The row of controls above the picture. In a narrow panel the look moves behind a button. */
export class Toolbar {
  readonly root: HTMLElement;
  readonly look: LookControls;
  readonly #outputs: HTMLSelectElement;
  readonly #pause: HTMLButtonElement;
  readonly #more: HTMLButtonElement;

  constructor(actions: Actions) {
    this.look = new LookControls(actions);
    this.#outputs = select('Output', (value) => {
      const [source = '', output = ''] = value.split(SEPARATOR);
      actions.selectOutput(source, output);
    });
    this.#outputs.classList.add('outputs');
    this.#pause = iconButton('debug-pause', 'Pause', 'Space', actions.togglePause);
    this.#more = iconButton('settings', 'Look', undefined, () => this.#toggleLook());
    this.#more.classList.add('more');
    this.#more.setAttribute('aria-expanded', 'false');
    const zoom = [
      iconButton('zoom-out', 'Zoom Out', '-', () => actions.zoom(1 / ZOOM_STEP)),
      iconButton('zoom-in', 'Zoom In', '+', () => actions.zoom(ZOOM_STEP)),
    ];
    for (const button of zoom) button.classList.add('zoom');
    const fit = iconButton('screen-full', 'Fit', '0', actions.fit);
    const exact = element(
      'button',
      { type: 'button', class: 'icon-button', title: 'One to One (1)', 'aria-label': 'One to One', 'aria-keyshortcuts': '1' },
      '1:1',
    );
    exact.addEventListener('click', actions.oneToOne);
    const save = iconButton('save', 'Save Picture', undefined, actions.save);
    const row = element('div', { class: 'row' }, this.#outputs, this.#pause, fit, exact, ...zoom, save, this.#more);
    this.root = element('div', { class: 'toolbar', role: 'group', 'aria-label': 'Controls' }, row, this.look.root);
    // There is nothing to control before there is an output.
    this.root.hidden = true;
  }

  setOutputs(sources: SourceDescription[], source: string, output: string): void {
    const option = ({ name, width, height, dtype }: OutputDescription, id: string) =>
      element('option', { value: `${id}${SEPARATOR}${name}`, selected: id === source && name === output }, `${name} · ${width}×${height} ${dtype}`);
    const groups = sources.map(({ id, label, outputs }) => element('optgroup', { label }, ...outputs.map((each) => option(each, id))));
    this.#outputs.replaceChildren(...groups);
  }

  update(output: OutputDescription, look: Look, paused: boolean): void {
    this.root.hidden = false;
    this.look.update(output, look);
    this.#more.hidden = this.look.root.hidden;
    const label = paused ? 'Resume' : 'Pause';
    this.#pause.replaceChildren(icon(paused ? 'play' : 'debug-pause'));
    this.#pause.title = `${label} (Space)`;
    this.#pause.setAttribute('aria-label', label);
  }

  #toggleLook(): void {
    const open = this.root.classList.toggle('look-open');
    this.#more.setAttribute('aria-expanded', String(open));
  }
}
