// Words of C++ are names in C, and are told as they are written there.
import { describe, expect, it } from 'vitest';
import { lint } from '../../../helper/lint/engine';
import { rules } from '../../../helper/lint/rules/registry';
import { grammars, lintText } from './harness';

const closing = (fn: string, fd: string) => `#include <cuda.h>
void ${fn}(CUexternalMemory *m, int ${fd}) {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC d = {0};
  d.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  d.handle.fd = ${fd};
  if (cuImportExternalMemory(m, &d) != CUDA_SUCCESS) return;
  close(${fd});
}
`;
const places = /"(?:line|column|endLine|endColumn|start|end)":\d+,?/g;
const texts = (name: string, text: string) =>
  lintText(name, text).map(({ message, scope, related, fix }) => JSON.stringify([message, scope, related, fix]).replace(places, ''));

describe('names in messages', () => {
  it.each([
    ['class', 'new'],
    ['delete', 'template'],
    ['xor', 'this'],
  ])('%s and %s', (fn, fd) => {
    const plain = texts('a.c', closing('function_', 'fd__'));
    expect(plain.length).toBeGreaterThan(0);
    const own = texts('a.c', closing(fn, fd));
    expect(own.map((each) => each.replaceAll(`\`${fd}\``, '`fd__`').replaceAll(`"${fn}"`, '"function_"'))).toEqual(plain);
  });

  it.each(['neW', 'noT'])('%s is no word of C++', (fd) => {
    const [finding] = lintText('a.c', closing('f', fd));
    expect(finding?.message).toContain(`\`${fd}\` is closed`);
  });

  it('a function that is not judged', () => {
    const branches = Array.from({ length: 3000 }, (_, i) => `    if (a == ${i}) a++;`).join('\n');
    const { skipped } = lint('a.c', closing('delete', 'new').replace('  close', `  int a = 0;\n${branches}\n  close`), grammars, {
      rules,
      preview: false,
    });
    expect(skipped.map(({ name }) => name)).toEqual(['delete']);
  });
});
