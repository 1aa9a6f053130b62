import { describe, expect, it } from 'vitest';
import { engineEnded } from '../../../helper/cli/engine-ended';
import type { SessionEnd } from '../../../helper/engine/client';

const end = (signal?: NodeJS.Signals): SessionEnd => ({
  message: signal ? `The engine was ended by ${signal}.` : 'The engine ended with exit code 1.',
  lastWords: [],
  expected: false,
  ...(signal && { signal }),
});
const scene = { isShared: false, usesDevice: true };
const program = { isShared: false, usesDevice: false };

describe('an engine that has ended', () => {
  it.each([
    ['killed', end('SIGKILL'), scene, /for want of memory.*Run the command again/],
    ['killed, though it cannot be another device', end('SIGKILL'), program, /for want of memory/],
    ['terminated', end('SIGTERM'), scene, /ended from outside/],
    ['crashed', end('SIGSEGV'), scene, /--device host/],
    ['crashed without a device to choose', end('SIGSEGV'), program, /SEAMSCOPE_LOG=1/],
    ['given up by itself', end(), scene, /--device host/],
    ['not its own', end(), { isShared: true, usesDevice: false }, /Start it again/],
  ] as const)('%s', (_, how, where, expected) => {
    expect(engineEnded(how, where).nextStep).toMatch(expected);
  });

  it('keeps the words of how it ended', () => {
    expect(engineEnded({ ...end('SIGABRT'), lastWords: ['a', 'b', 'c', 'd'] }, scene).message).toBe('The engine was ended by SIGABRT. b c d');
    expect(engineEnded(end(), { isShared: true, usesDevice: false }).message).toContain('"seamscope engine", has ended');
  });
});
