import { describe, expect, it } from 'vitest';
import { named } from '../../../helper/cli/preview-publisher';
import type { SourceDescription } from '../../../helper/protocol/frames';

const publishers = (...labels: string[]): SourceDescription[] =>
  labels.map((label) => ({ id: `pub:${label}`, label, kind: 'publisher', device: 'host', outputs: [] }));

describe('the program that --source names', () => {
  it.each([
    ['train', ['train.py', 'train'], 'train'],
    ['pub:train.py', ['train', 'train.py'], 'train.py'],
    ['train', ['other', 'train.py'], 'train.py'],
    ['train', ['train#2', 'train'], 'train'],
    ['train', ['other', 'train#2'], 'train#2'],
    ['train', ['train.py#3'], 'train.py#3'],
    ['train.py', ['train.py#2'], 'train.py#2'],
    ['train#3', ['train#2', 'train#3'], 'train#3'],
    ['train', ['trainer', 'train2#x'], undefined],
    ['train#3', ['train#2'], undefined],
  ])('%s among %j is %s', (name, labels, wanted) => {
    expect(named(publishers(...labels), name)?.label).toBe(wanted);
  });

  it('is no source of another kind', () => {
    expect(named([{ id: 'scene', label: 'scene', kind: 'scene', device: 'host', outputs: [] }], 'scene')).toBeUndefined();
  });
});
