import { describe, expect, it } from 'vitest';
import type { OutputDescription, SourceDescription } from '../../../helper/protocol/frames';
import { Successors, sourceFor, withWatched } from '../../../webview/src/preview/source-choice';
import { describeOutput, stateWords } from '../../../webview/src/preview/source-words';

const color: OutputDescription = { name: 'color', kind: 'color', width: 640, height: 480, channels: 3, dtype: 'u8', colorSpace: 'srgb' };
const scene: SourceDescription = { id: 'scene', label: 'Built-in scene', kind: 'scene', device: '', outputs: [color] };
const program = (id: string, more: Partial<SourceDescription> = {}): SourceDescription => ({
  ...scene,
  id,
  label: 'train.py',
  kind: 'publisher',
  state: 'live',
  ...more,
});

const nothing = { source: null, sourceLabel: null, chosen: false };
const scenePicked = { source: 'scene', sourceLabel: 'Built-in scene', chosen: true };
const sceneByItself = { ...scenePicked, chosen: false };
const programPicked = { source: 'p1', sourceLabel: 'train.py', chosen: true };

describe('source of a panel', () => {
  it.each([
    ['the scene when nothing else is there', [scene], nothing, 'scene'],
    ['a program rather than the scene', [scene, program('p1')], nothing, 'p1'],
    ['a program that came while the scene was shown', [scene, program('p1')], sceneByItself, 'p1'],
    ['not a program that shows nothing yet', [scene, program('p1', { outputs: [] })], sceneByItself, 'scene'],
    ['the scene that the user has chosen', [scene, program('p1')], scenePicked, 'scene'],
    ['the same program under a new id', [scene, program('p1', { state: 'gone' }), program('p2')], programPicked, 'p2'],
    ['a program that has ended, for its last frame', [scene, program('p1', { state: 'gone' })], programPicked, 'p1'],
    ['nothing while the chosen one is not there', [scene], programPicked, undefined],
    ['nothing when there is nothing', [], nothing, undefined],
  ] as const)('is %s', (_, sources, choice, expected) => {
    expect(sourceFor([...sources], choice)?.id).toBe(expected);
  });
});

describe('the program that a panel goes on with', () => {
  const first = program('pub:train.py');
  const second = program('pub:train.py#2', { label: 'train.py#2' });
  const gone = (source: SourceDescription): SourceDescription => ({ ...source, state: 'gone' });

  /** What a panel that shows train.py#2 follows after lists of sources, each with its time in seconds. */
  const followed = (...lists: [seconds: number, sources: SourceDescription[]][]) => {
    const successors = new Successors();
    return lists.map(([seconds, sources]) => successors.follow(sources, second.id, second.label, seconds * 1000)?.id).at(-1);
  };

  it.each([
    [
      'one that comes after it has ended',
      [
        [0, [second]],
        [20, [gone(second)]],
        [90, [gone(second), first]],
      ],
      first.id,
    ],
    [
      'one that came just before it ended',
      [
        [0, [second]],
        [20, [second, first]],
        [21, [gone(second), first]],
      ],
      first.id,
    ],
    [
      'one that came when it is forgotten already',
      [
        [0, [second]],
        [20, []],
        [21, [first]],
      ],
      first.id,
    ],
    [
      'not one that ran beside it',
      [
        [0, [first, second]],
        [20, [first, gone(second)]],
      ],
      undefined,
    ],
    [
      'that which was started again, though another ran beside it',
      [
        [0, [first, second]],
        [20, [gone(first), gone(second)]],
        [25, [first]],
      ],
      first.id,
    ],
    [
      'not one of another name',
      [
        [0, [second]],
        [20, [gone(second), program('pub:x', { label: 'x' })]],
      ],
      undefined,
    ],
    [
      'itself while it runs',
      [
        [0, [second]],
        [20, [second, first]],
      ],
      undefined,
    ],
  ] as const)('is %s', (_, lists, expected) => {
    expect(followed(...lists.map(([seconds, sources]): [number, SourceDescription[]] => [seconds, [...sources]]))).toBe(expected);
  });
});

describe('watched files', () => {
  it('stay in the list while nobody has opened them', () => {
    const watching = { source: 'files:/frames', sourceLabel: 'frames' };
    const listed = withWatched([scene], watching);
    expect(listed.map(({ id, label, kind }) => [id, label, kind])).toEqual([
      ['scene', 'Built-in scene', 'scene'],
      ['files:/frames', 'frames', 'files'],
    ]);
    expect(withWatched(listed, watching)).toBe(listed);
    expect(withWatched([scene], programPicked)).toEqual([scene]);
  });
});

describe('words for states', () => {
  it.each([
    [program('p1'), { ...color, state: 'live' }, null],
    [
      program('p1', { state: 'gone', notes: ['It was killed by signal 9.'] }),
      color,
      'train.py has ended; its last frame stays. It was killed by signal 9.',
    ],
    [program('p1'), { ...color, state: 'waiting' }, 'color: no frame has come yet.'],
    [program('p1'), { ...color, state: 'refused', note: 'Its memory is on another GPU.' }, 'color cannot be shown. Its memory is on another GPU.'],
    [scene, color, null],
  ] as const)('case %#', (source, output, expected) => {
    expect(stateWords(source, output)?.text ?? null).toBe(expected);
  });

  it.each([
    [color, 'color · 640×480 · 3×u8'],
    [{ ...color, batches: 8 }, 'color · 640×480 · 8×3×u8'],
    [{ ...color, width: 0, state: 'refused' }, 'color (refused)'],
  ] as const)('lists an output', (output, expected) => {
    expect(describeOutput(output)).toBe(expected);
  });
});
