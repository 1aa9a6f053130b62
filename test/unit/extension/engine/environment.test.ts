import { expect, it } from 'vitest';
import { engineEnvironment } from '../../../../extension/src/engine/environment';

it.each([
  ['keeps what was there', { HOME: '/home/a' }, {}, { HOME: '/home/a' }],
  ['leaves out what VS Code set for itself', { VSCODE_IPC_HOOK: 'x', PATH: '/bin' }, {}, { PATH: '/bin' }],
  ['sets and replaces', { A: '1' }, { A: '2', B: '3' }, { A: '2', B: '3' }],
  ['removes', { A: '1', B: '2' }, { A: null }, { B: '2' }],
  ['leaves Node mode to nobody', {}, { ELECTRON_RUN_AS_NODE: null }, {}],
])('%s', (_name, base, changes, expected) => {
  expect(engineEnvironment(base, changes)).toEqual({ ...expected, ELECTRON_RUN_AS_NODE: '1' });
});
