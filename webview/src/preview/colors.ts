/** Which colour maps suit which kind of values. */
import type { FalseColor, OutputDescription } from '../../../helper/protocol/frames';

const names: Record<FalseColor, string> = {
  none: 'As it is',
  gray: 'Gray',
  turbo: 'Turbo',
  viridis: 'Viridis',
  ids: 'Identifiers',
  labels: 'Labels',
  bool: 'Yes or no',
  normal: 'Normal',
  motion: 'Direction',
  diverging: 'Red and blue',
};

const scalar: FalseColor[] = ['gray', 'turbo', 'viridis'];

/** Of a difference from the reference. */
function differenceChoices({ kind, channels }: Pick<OutputDescription, 'kind' | 'channels'>): FalseColor[] {
  if (kind === 'id') return ['bool'];
  return [...(channels > 1 ? (['none'] as const) : []), 'diverging', ...scalar];
}

function choices({ kind, channels, dtype }: Pick<OutputDescription, 'kind' | 'channels' | 'dtype'>): FalseColor[] {
  switch (kind) {
    case 'depth':
      return scalar;
    case 'id':
      return ['ids', 'labels', ...scalar];
    case 'normal':
      return ['normal', 'none'];
    case 'motion':
      return ['motion', 'none'];
    case 'tensor':
      return dtype === 'bool'
        ? ['bool', 'gray']
        : channels === 1
          ? [...scalar, 'diverging', 'ids', 'labels']
          : ['none', 'normal', ...scalar, 'diverging'];
    default:
      return ['none', ...scalar];
  }
}

export function colorMaps(
  output: Pick<OutputDescription, 'kind' | 'channels' | 'dtype'>,
  ofDifference = false,
): { value: FalseColor; label: string }[] {
  return (ofDifference ? differenceChoices(output) : choices(output)).map((value) => ({ value, label: names[value] }));
}
