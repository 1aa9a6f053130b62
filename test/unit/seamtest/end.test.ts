import { expect, it } from 'vitest';
import { describeEnd, type howItEnded } from '../../../helper/engine/seamtest-end';

type End = Parameters<typeof howItEnded>[0];

it.each<[End, string]>([
  [
    { how: 'exited', code: 2, words: ['The addon is gone.', 'Run "npm run build".'] },
    'It ended with exit code 2, saying: The addon is gone. Run "npm run build".',
  ],
  [{ how: 'exited', code: 3, words: [] }, 'It ended with exit code 3.'],
  [{ how: 'signal', signal: 'SIGSEGV', words: ['x'] }, 'It was ended by SIGSEGV: a driver crashed.'],
  [{ how: 'not-started', reason: 'ENOENT', words: [] }, 'It could not be started: ENOENT.'],
])('a process that ended: %o', (end, message) => {
  expect(describeEnd(end, 'It').message).toBe(message);
});
