import { element, iconButton, textButton } from '../shared/dom';
import type { Feature, Panel } from './feature';

/** One line for those who see the built-in scene only: that their own frames belong here. */
export class Hint implements Feature {
  readonly root: HTMLElement;
  readonly #panel: Panel;

  constructor(panel: Panel, showGuide: () => void) {
    this.#panel = panel;
    const dismiss = iconButton('close', 'Dismiss', undefined, () => {
      panel.state.hintDismissed = true;
      panel.remember();
      this.changed();
    });
    this.root = element(
      'div',
      { class: 'hint-line', hidden: true },
      element('span', {}, 'This is the built-in scene.'),
      textButton('Show your own frames', 'How a program publishes its frames', showGuide),
      dismiss,
    );
  }

  changed(): void {
    const { sources } = this.#panel.session;
    this.root.hidden = this.#panel.state.hintDismissed || sources.length === 0 || sources.some(({ kind }) => kind !== 'scene');
  }
}
