import { element, iconButton, textButton } from '../shared/dom';
import type { Panel } from './feature';

const python = `import seamscope

# frame: an array of torch, CuPy, JAX, Warp or NumPy
seamscope.publish("color", frame)`;

/** How to see one's own frames. Over the picture on demand, and where there is nothing else to show. */
export class Guide {
  readonly root: HTMLElement;
  readonly #close: HTMLButtonElement;

  constructor(panel: Panel) {
    const add = textButton('Add Publisher to Project', 'Copies the header or the Python module into this workspace', () =>
      panel.host.notify('action', { name: 'addPublisher' }),
    );
    add.classList.add('primary');
    this.#close = iconButton('close', 'Close', 'Escape', () => this.hide());
    this.#close.classList.add('close');
    this.root = element(
      'div',
      { class: 'guide', role: 'dialog', 'aria-label': 'Show your own frames', hidden: true },
      this.#close,
      element('h2', {}, 'Show your own frames'),
      element('p', {}, 'Publish them from your program: straight out of GPU memory, at no cost while nobody looks.'),
      element('pre', {}, element('code', {}, python)),
      element(
        'p',
        {},
        'C and C++ take one header without dependencies. A program started in a terminal of this window is found by itself and appears in the list of sources.',
      ),
      element('div', { class: 'actions' }, add),
    );
    this.root.addEventListener('keydown', ({ key }) => key === 'Escape' && this.hide());
  }

  show(): void {
    this.root.hidden = false;
    this.#close.focus();
  }

  hide(): void {
    this.root.hidden = true;
  }
}
