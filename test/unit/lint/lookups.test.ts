import { describe, expect, it } from 'vitest';
import { lookupsIn } from '../../../helper/lint/lower/c/lookups';

describe('functions under other names', () => {
  it.each([
    ['.create = eglCreateSync,', 'create', 'eglCreateSync'],
    ['table.create = &eglCreateSync;', 'create', 'eglCreateSync'],
    ['create = & ::vkGetMemoryFdKHR;', 'create', 'vkGetMemoryFdKHR'],
    ['create = ::vkGetMemoryFdKHR;', 'create', 'vkGetMemoryFdKHR'],
    ['create =\n#\n    & cuMemExport}', undefined, undefined],
    ['create =\n    &\n    cuMemExport}', 'create', 'cuMemExport'],
  ])('%j', (text, variable, name) => {
    expect(lookupsIn(text)).toEqual(variable === undefined ? [] : [[variable, name]]);
  });

  it('an arm of an #if that is blanked leaves long room behind an assignment, which is read once', () => {
    const room = `${' '.repeat(79)}\n`.repeat(20_000);
    expect(lookupsIn(`create =${room}other;`)).toEqual([]);
    expect(lookupsIn(`create =${room}& eglCreateSync;`)).toEqual([['create', 'eglCreateSync']]);
  });
});
