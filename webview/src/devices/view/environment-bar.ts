import type { DevicesAction, SnapshotEnvironment } from '../../../../helper/protocol/devices-panel';
import { element, icon, textButton } from '../../shared/dom';

/** Whose environment the ordinals and indices below are of. Another one than the editor's is marked. */
export class EnvironmentBar {
  readonly root = element('div', { class: 'environment', role: 'group', 'aria-label': 'Environment' });
  readonly #label = element('span', { class: 'label' });
  readonly #back: HTMLButtonElement;

  constructor(act: (name: DevicesAction) => void) {
    this.#back = textButton("Back to the Editor's", "Show devices as the editor's own environment lists them", () => act('editorEnvironment'));
    const choose = textButton('Choose…', "Show devices as another environment lists them: a terminal's, or variables that you type", () =>
      act('chooseEnvironment'),
    );
    this.root.append(icon('terminal'), this.#label, choose, this.#back);
  }

  get text(): string {
    return this.#label.textContent ?? '';
  }

  set environment({ kind, label }: SnapshotEnvironment) {
    const own = kind === 'editor';
    this.root.classList.toggle('other', !own);
    this.#back.hidden = own;
    const text = own ? "Ordinals and indices as in the editor's environment" : `Ordinals and indices as with ${label}`;
    if (this.text !== text) this.#label.textContent = text;
  }
}
