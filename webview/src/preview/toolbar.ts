import { element, icon, iconButton, nameButton, press } from '../shared/dom';
import { ZOOM_STEP } from './actions';
import type { Feature, Panel } from './feature';
import { Menu } from './menu';
import type { Picker } from './picker';

export interface ToolbarTargets {
  picker: Picker;
  step(): void;
  togglePin(): void;
  toggleInspector(): void;
  showGuide(): void;
}

/** The row of controls above the picture; all else is in the inspector and in the menu. */
export class Toolbar implements Feature {
  readonly root: HTMLElement;
  readonly #panel: Panel;
  readonly #pause: HTMLButtonElement;
  readonly #record: HTMLButtonElement;
  readonly #inspector: HTMLButtonElement;

  constructor(panel: Panel, { picker, step, togglePin, toggleInspector, showGuide }: ToolbarTargets) {
    const { actions } = panel;
    this.#panel = panel;
    this.#pause = iconButton('debug-pause', 'Pause', ' ', actions.togglePause);
    this.#record = iconButton('record', 'Stop Recording', undefined, actions.record);
    this.#record.classList.add('recording');
    this.#record.hidden = true;
    this.#inspector = iconButton('settings', 'Inspector', 'I', toggleInspector);
    const exact = element('button', { type: 'button', class: 'icon-button' }, '1:1');
    nameButton(exact, 'One to One', '1');
    exact.addEventListener('click', actions.oneToOne);
    const zoom = [
      iconButton('zoom-out', 'Zoom Out', '-', () => actions.zoom(1 / ZOOM_STEP)),
      iconButton('zoom-in', 'Zoom In', '+', () => actions.zoom(ZOOM_STEP)),
    ];
    for (const button of zoom) button.classList.add('zoom');
    const menu = new Menu('More Actions', 'ellipsis', [
      { icon: 'save', label: 'Save Frame…', run: actions.save },
      { icon: 'copy', label: 'Copy Picture', run: actions.copyPicture },
      { icon: 'record', label: 'Record or Stop…', run: actions.record },
      { icon: 'pin', label: 'Pin or Unpin Reference', key: 'P', run: togglePin },
      { icon: 'discard', label: 'Reset Look', key: 'R', run: actions.resetLook },
      { icon: 'plug', label: 'Show Your Own Frames…', run: showGuide },
      { icon: 'gear', label: 'Settings', run: () => panel.host.notify('action', { name: 'openSettings' }) },
    ]);
    this.root = element(
      'div',
      { class: 'toolbar', role: 'toolbar', 'aria-label': 'Controls' },
      picker.root,
      element('span', { class: 'group' }, this.#pause, iconButton('debug-step-over', 'Next Frame', '.', step), this.#record),
      element('span', { class: 'group' }, iconButton('screen-full', 'Fit', '0', actions.fit), exact, ...zoom),
      element('span', { class: 'group end' }, menu.root, this.#inspector),
    );
    // There is nothing to control before there is an output.
    this.root.hidden = true;
  }

  changed(): void {
    const { paused } = this.#panel.state;
    this.root.hidden = false;
    this.#pause.replaceChildren(icon(paused ? 'play' : 'debug-pause'));
    nameButton(this.#pause, paused ? 'Resume' : 'Pause', ' ');
  }

  numbersShown({ recording }: { recording?: { running: boolean; written: number } }): void {
    this.#record.hidden = !recording?.running;
    this.#record.title = `Stop Recording (${recording?.written ?? 0} frames written)`;
  }

  showInspector(open: boolean): void {
    press(this.#inspector, open);
  }
}
