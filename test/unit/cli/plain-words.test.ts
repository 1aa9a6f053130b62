import { expect, it } from 'vitest';
import { plainMessage, plainStep } from '../../../helper/cli/plain-words';

it.each([
  ['view.output must be one of a, not "b".', '--output must be one of a, not "b".'],
  ['size.width must be an integer from 16 to 16384, not 3.', 'the width of --size must be an integer from 16 to 16384, not 3.'],
  ['The engine did not finish "view/open" within 30 s.', 'The engine did not finish opening the preview within 30 s.'],
  ['The engine did not answer "devices/snapshot" within 27 s.', 'The engine did not finish listing the devices within 27 s.'],
  ['The engine was ended by SIGKILL. "view/save" has no answer.', 'The engine was ended by SIGKILL. It was at saving the frame.'],
  ['The device must be found.', 'The device must be found.'],
])('%s', (message, plain) => {
  expect(plainMessage(message)).toBe(plain);
});

it('next steps are those of a terminal', () => {
  expect(plainStep('Ask "sources/list" for the sources that exist.')).toContain('"scene"');
  expect(plainStep('Read the engine log; restart the engine.')).toContain('SEAMSCOPE_LOG=1');
  expect(plainStep('Restart the engine; another program may keep the GPU busy.')).toBe('Restart the engine; another program may keep the GPU busy.');
});
