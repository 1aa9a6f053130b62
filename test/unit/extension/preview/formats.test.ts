import { describe, expect, it } from 'vitest';
import { formatsFor } from '../../../../extension/src/preview/formats';

describe('formats', () => {
  it.each([
    [{ dtype: 'u8', channels: 4 }, ['png', 'npy']],
    [{ dtype: 'u16', channels: 1 }, ['png', 'npy']],
    [{ dtype: 'u8', channels: 5 }, ['npy']],
    [{ dtype: 'f16', channels: 3 }, ['exr', 'pfm', 'npy']],
    [{ dtype: 'f32', channels: 1 }, ['exr', 'pfm', 'npy']],
    [{ dtype: 'f32', channels: 4 }, ['exr', 'npy']],
    [{ dtype: 'u32', channels: 1 }, ['exr', 'npy']],
    // NumPy's holds everything.
    [{ dtype: 'i64', channels: 1 }, ['npy']],
    [undefined, ['npy']],
  ] as const)('for %j', (output, formats) => {
    expect(formatsFor(output)).toEqual(formats);
  });
});
