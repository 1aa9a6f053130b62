// Which VS Code runs the suite: the one named, a desktop one where there is a display, else the served one.
import { existsSync } from 'node:fs';
import { inRoot } from '../../../scripts/lib/paths.mjs';

const headless = inRoot('test/workbench/launch/code-headless.mjs');
const desktopPlaces = ['/usr/share/code/code', '/usr/lib/code/code', '/opt/visual-studio-code/code', '/snap/code/current/usr/share/code/code'];

/**
 * SEAMSCOPE_CODE overrides: a path, 'served', or 'download' for a fresh desktop build.
 * @returns {executable, served}; an undefined executable makes @vscode/test-electron download one
 */
export function findCode() {
  const wish = process.env.SEAMSCOPE_CODE;
  if (wish === 'download') return { executable: undefined, served: false };
  if (wish && wish !== 'served') return { executable: wish, served: false };
  const hasDisplay = Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY);
  const desktop = hasDisplay && wish !== 'served' ? desktopPlaces.find(existsSync) : undefined;
  return desktop ? { executable: desktop, served: false } : { executable: headless, served: true };
}
