/** File formats for frames at full precision. */
import type { RecordFormat } from '../../../helper/protocol/engine';
import type { Dtype, OutputDescription } from '../../../helper/protocol/frames';

interface Format {
  name: string;
  /** The element types that it holds without loss; left out: all. */
  dtypes?: Dtype[];
  channels?: number[];
}

const formats: Record<RecordFormat, Format> = {
  png: { name: 'PNG picture', dtypes: ['u8', 'u16'], channels: [1, 2, 3, 4] },
  exr: { name: 'OpenEXR picture', dtypes: ['f16', 'bf16', 'f32', 'u32', 'r11g11b10f'] },
  pfm: { name: 'Portable float map', dtypes: ['f16', 'bf16', 'f32', 'r11g11b10f'], channels: [1, 3] },
  npy: { name: 'NumPy array' },
};

/** What holds the values of an output exactly, the most usual first. NumPy's format holds every output. */
export function formatsFor(output: Pick<OutputDescription, 'dtype' | 'channels'> | undefined): RecordFormat[] {
  const holds = ({ dtypes, channels }: Format) =>
    output ? (!dtypes || dtypes.includes(output.dtype)) && (!channels || channels.includes(output.channels)) : !dtypes;
  return (Object.keys(formats) as RecordFormat[]).filter((format) => holds(formats[format]));
}

export function formatName(format: RecordFormat): string {
  return formats[format].name;
}
