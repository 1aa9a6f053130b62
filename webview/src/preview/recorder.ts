import type { Panel } from './feature';
import { SAVE_TIMEOUT_MS } from './link';

/** Every shown frame into files of a folder that the user chooses, until it is asked again. */
export class Recorder {
  readonly #panel: Panel;

  constructor(panel: Panel) {
    this.#panel = panel;
  }

  async toggle(): Promise<void> {
    const { host, painter, announce } = this.#panel;
    try {
      if (painter.shown?.info.recording?.running) {
        const { written, folder } = await host.request('recordStop', {}, SAVE_TIMEOUT_MS);
        announce(`${written} frames written to ${folder}`);
      } else if (await host.request('record', {}, SAVE_TIMEOUT_MS)) announce('Recording');
    } catch {
      // The extension has told the user why.
      announce('Not recorded');
    }
  }
}
