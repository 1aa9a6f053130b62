import type { Panel } from './feature';
import { SAVE_TIMEOUT_MS } from './link';

/** The frame at its full size, into a file that the user chooses. */
export function saveFrame({ host, announce }: Panel): void {
  void host
    .request('save', {}, SAVE_TIMEOUT_MS)
    .then((saved) => saved && announce(`Saved ${saved.file}`))
    // The extension has told the user why.
    .catch(() => announce('Not saved'));
}
