/** File formats for frames at full precision. */
import type { RecordFormat } from '../../../helper/protocol/engine';
import type { OutputDescription } from '../../../helper/protocol/frames';

const names: Record<RecordFormat, string> = { png: 'PNG picture', exr: 'OpenEXR picture', pfm: 'Portable float map', npy: 'NumPy array' };

/** What holds the values of an output without loss, the most usual first. */
export function formatsFor(output: Pick<OutputDescription, 'dtype' | 'channels'> | undefined): RecordFormat[] {
  switch (output?.dtype) {
    case 'u8':
      return output.channels <= 4 ? ['png', 'npy'] : ['npy'];
    case 'f16':
      return ['exr', 'npy', 'pfm'];
    case 'f32':
      return output.channels === 1 || output.channels === 3 ? ['exr', 'pfm', 'npy'] : ['exr', 'npy'];
    case 'u32':
      return ['exr', 'npy'];
    default:
      return ['npy'];
  }
}

export function formatName(format: RecordFormat): string {
  return names[format];
}
