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
};

const scalar: FalseColor[] = ['gray', 'turbo', 'viridis'];

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
      return dtype === 'bool' ? ['bool', 'gray'] : channels === 1 ? [...scalar, 'ids', 'labels'] : ['none', 'normal', ...scalar];
    default:
      return ['none', ...scalar];
  }
}

export function colorMaps(output: Pick<OutputDescription, 'kind' | 'channels' | 'dtype'>): { value: FalseColor; label: string }[] {
  return choices(output).map((value) => ({ value, label: names[value] }));
}
