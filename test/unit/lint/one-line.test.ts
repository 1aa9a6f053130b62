// What is said of code over several lines.
import { describe, expect, it } from 'vitest';
import { oneLine } from '../../../helper/lint/text/one-line';
import { lintText } from './harness';

describe('code over several lines', () => {
  it.each([
    { language: 'cpp', written: 'is told `a  // columns\n    * b /* rows\n  of the top */\r\n  * 4`.', said: 'is told `a * b * 4`.' },
    { language: 'cpp', written: 'see "http://a"\n or b', said: 'see "http://a" or b' },
    { language: 'python', written: '`(a  # columns\n  // b)`', said: '`(a // b)`' },
    { language: 'cpp', written: 'one line // as it is', said: 'one line // as it is' },
  ] as const)('is quoted in one, without comments: $said', ({ language, written, said }) => {
    expect(oneLine(written, language)).toBe(said);
  });

  it('makes no message of several', () => {
    const text = `#include <cuda_runtime.h>
cudaError_t take(cudaExternalMemory_t* memory, int fd, unsigned width, unsigned height) {
  cudaExternalMemoryHandleDesc desc{};
  desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
  desc.handle.fd = fd;
  desc.size = width  // texels
            * height /* lines */
            * 16u;
  return cudaImportExternalMemory(memory, &desc);
}
`;
    const messages = lintText('a.cpp', text).map(({ message }) => message);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain('`width * height * 16u`');
  });
});
