// Effects of functions across files: what the index answers, and what a caller in another file is told because of it.
import { describe, expect, it } from 'vitest';
import { opaqueEffects } from '../../../helper/lint/effects/file-effects';
import { EffectIndex } from '../../../helper/lint/effects/index';
import { lint, ParsedDocument } from '../../../helper/lint/engine';
import type { EffectQuestion } from '../../../helper/lint/flow/summary';
import { rules } from '../../../helper/lint/rules/registry';
import { grammars } from './harness';

const options = { rules, preview: true, fixes: false, effects: true };

/** The index of a workspace, and the rules that speak in one of its files. */
function workspace(files: Readonly<Record<string, string>>) {
  const index = new EffectIndex();
  // Twice, because a file may need what a later one does.
  for (const _ of [1, 2])
    for (const [name, text] of Object.entries(files))
      index.set(name, lint(name, text, grammars, { ...options, rules: [], elsewhere: index }).effects);
  return {
    index,
    codes: (name: string) =>
      lint(name, files[name]!, grammars, { ...options, elsewhere: index }).findings.map(({ ruleId, line }) => `${ruleId}:${line}`),
  };
}

const importer = `#include <cuda.h>
CUexternalMemory importFd(int fd) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle = {.fd = fd}, .size = 64};
    CUexternalMemory memory = nullptr;
    if (cuImportExternalMemory(&memory, &desc) != CUDA_SUCCESS) abort();
    return memory;
}
`;
const closer = `void finish(int fd) { (void)VK_SUCCESS; close(fd); }
`;
const caller = (body: string) => `#include <cuda.h>
#include <vulkan/vulkan.h>
CUexternalMemory importFd(int fd);
void finish(int fd);
void share(VkDevice device, const VkMemoryGetFdInfoKHR* info) {
    int fd = -1;
    if (vkGetMemoryFdKHR(device, info, &fd) != VK_SUCCESS) return;
${body}}
`;
const twice = caller('    importFd(fd);\n    finish(fd);\n');

describe('effects across files', () => {
  it('a descriptor that another file imports is not closed afterwards', () => {
    const { codes } = workspace({ '/p/main.cpp': twice, '/p/importer.cpp': importer, '/p/closer.cpp': closer });
    expect(codes('/p/main.cpp')).toEqual(['fd/use-after-transfer:9']);
  });

  it('nothing is said without the other file, or where it only looks at the descriptor', () => {
    const harmless = 'void finish(int fd) { (void)VK_SUCCESS; fprintf(stderr, "%d", fd); }\n';
    expect(workspace({ '/p/main.cpp': twice, '/p/importer.cpp': importer }).codes('/p/main.cpp')).toEqual([]);
    expect(workspace({ '/p/main.cpp': twice, '/p/importer.cpp': importer, '/p/closer.cpp': harmless }).codes('/p/main.cpp')).toEqual([]);
  });

  it('effects reach through files: a helper of a helper', () => {
    const between = 'void finish(int fd);\nvoid done(int fd) { (void)VK_SUCCESS; finish(fd); }\n';
    const main = caller('    importFd(fd);\n    done(fd);\n');
    expect(
      workspace({ '/p/main.cpp': main, '/p/done.cpp': between, '/p/importer.cpp': importer, '/p/closer.cpp': closer }).codes('/p/main.cpp'),
    ).toEqual(['fd/use-after-transfer:9']);
  });

  const other = closer.replace('close(fd)', 'keep(fd)');
  const doubts: Record<string, [expected: string[], files: Record<string, string>]> = {
    'two definitions that disagree': [[], { '/p/a/closer.cpp': closer, '/p/b/closer.cpp': other }],
    'two definitions that agree': [['fd/use-after-transfer:9'], { '/p/a/closer.cpp': closer, '/p/b/closer.cpp': closer }],
    'the nearer of two': [['fd/use-after-transfer:9'], { '/p/closer.cpp': closer, '/p/b/closer.cpp': other }],
    'a static function': [[], { '/p/closer.cpp': `static ${closer}` }],
    'a function of an unnamed namespace': [[], { '/p/closer.cpp': `namespace {\n${closer}}\n` }],
    'a function of a named namespace': [['fd/use-after-transfer:9'], { '/p/closer.cpp': `namespace a {\n${closer}}\n` }],
    'an inline function of a header': [['fd/use-after-transfer:9'], { '/p/closer.h': `static inline ${closer}` }],
    'a template': [[], { '/p/closer.h': `template <typename T>\n${closer}` }],
    'another number of parameters': [[], { '/p/closer.cpp': closer.replace('int fd', 'int fd, bool now') }],
    'a method of the same name': [[], { '/p/closer.cpp': closer.replace('finish', 'Guard::finish') }],
    'a function of another language': [[], { '/p/closer.py': 'import cuda\ndef finish(fd):\n    os.close(fd)\n' }],
    'an overload': [['fd/use-after-transfer:9'], { '/p/closer.cpp': `${closer}void finish(int a, int b) { (void)VK_SUCCESS; }\n` }],
    'only the other platform': [[], { '/p/closer.cpp': `#ifdef _WIN32\n${closer}#endif\n`, '/p/main.h': '#ifdef _WIN32\n#define VK_X\n#endif\n' }],
  };
  for (const [what, [expected, files]] of Object.entries(doubts)) {
    it(`${what}: ${expected.length === 0 ? 'silent' : 'known'}`, () => {
      expect(workspace({ '/p/main.cpp': twice, '/p/importer.cpp': importer, ...files }).codes('/p/main.cpp')).toEqual(expected);
    });
  }

  it('a file that names nothing of the seam makes its functions unknown', () => {
    const { index, codes } = workspace({ '/p/main.cpp': twice, '/p/importer.cpp': importer, '/p/closer.cpp': closer });
    const names = index.namesFor('fd-ownership');
    index.set(
      '/p/pool.cpp',
      opaqueEffects('void finish(int fd) { pool.push_back(fd); }\n', 'cpp', (name) => names.has(name)),
    );
    expect(codes('/p/main.cpp')).toEqual([]);
    index.set('/p/pool.cpp', undefined);
    expect(codes('/p/main.cpp')).toEqual(['fd/use-after-transfer:9']);
  });

  it('methods are found by the class of the receiver, unless they are virtual', () => {
    const method = closer.replace('void finish', '#include "guard.h"\nvoid Guard::finish');
    const main = `#include "guard.h"\n${caller('    Guard guard;\n    importFd(fd);\n    guard.finish(fd);\n')}`;
    const files = { '/p/main.cpp': main, '/p/importer.cpp': importer, '/p/guard.cpp': method };
    expect(workspace({ ...files, '/p/guard.h': 'struct Guard { void finish(int fd); VkDevice d; };\n' }).codes('/p/main.cpp')).toEqual([
      'fd/use-after-transfer:11',
    ]);
    expect(workspace({ ...files, '/p/guard.h': 'struct Guard { virtual void finish(int fd); VkDevice d; };\n' }).codes('/p/main.cpp')).toEqual([]);
  });

  it('Python functions are found by their module', () => {
    const helper = 'import os\nfrom cuda import cuda\ndef finish(fd, tell=False):\n    os.close(fd)\n';
    const { index } = workspace({ '/p/tools/helper.py': helper });
    const ask = (module: string | undefined, arity = 1) => index.effectsOf({ ...question, name: 'finish', module, arity, from: '/p/main.py' });
    expect(ask('tools.helper')?.outcomes[0]?.moves[0]?.state).toBe('closed');
    expect(ask('helper', 2)?.params).toEqual(['fd', 'tell']);
    expect([ask('other'), ask(undefined), ask('helper', 3)]).toEqual([undefined, undefined, undefined]);
  });

  it('a helper of another file pushes and pops contexts, in Python and in C++', () => {
    const guard = 'import pycuda.driver as cuda\n\ndef enter(context):\n    context.push()\n\ndef leave():\n    cuda.Context.pop()\n';
    const user = (imports: string) =>
      `import pycuda.driver as cuda\n${imports}\ndef upload(context, target, frame):\n    enter(context)\n    if frame is None:\n        return False\n    cuda.memcpy_htod(target, frame)\n    leave()\n    return True\n`;
    const python = {
      '/p/guard.py': guard,
      '/p/main.py': user('from guard import enter, leave'),
      '/p/other.py': user('from door import enter, leave'),
    };
    expect(workspace(python).codes('/p/main.py')).toEqual(['device/context-stack:6']);
    expect(workspace(python).codes('/p/other.py')).toEqual([]);
    const maybe = guard.replace('    context.push()', '    if context:\n        context.push()');
    expect(workspace({ ...python, '/p/guard.py': maybe }).codes('/p/main.py')).toEqual([]);
    const c = {
      '/p/stack.cpp': '#include <cuda.h>\nvoid enter(CUcontext c) { cuCtxPushCurrent(c); }\nvoid leave() { CUcontext c; cuCtxPopCurrent(&c); }\n',
      '/p/main.cpp': '#include <cuda.h>\nint f(CUcontext c, int n) {\n  enter(c);\n  if (n < 0) return -1;\n  leave();\n  return 0;\n}\n',
    };
    expect(workspace(c).codes('/p/main.cpp')).toEqual(['device/context-stack:4']);
    expect(workspace({ ...c, '/p/stack.cpp': '' }).codes('/p/main.cpp')).toEqual([]);
  });

  it('answers stay identical as long as they are equal, and say which names have changed', () => {
    const { index } = workspace({ '/p/importer.cpp': importer, '/p/closer.cpp': closer });
    const effects = (text: string) => lint('/p/closer.cpp', text, grammars, options).effects;
    const asked = { ...question, name: 'finish', from: '/p/main.cpp' };
    const before = index.effectsOf(asked);
    expect(before?.outcomes[0]?.moves[0]).toMatchObject({ place: { root: 0, steps: '' }, state: 'closed', history: [] });
    expect([...index.set('/p/closer.cpp', effects(`// moved\n${closer}`))]).toEqual([]);
    expect([...index.set('/p/closer.cpp', effects(`${closer}void more(VkDevice d) {}\n`))]).toEqual([]);
    expect(index.effectsOf(asked)).toBe(before);
    expect([...index.set('/p/closer.cpp', effects(other))]).toEqual(['finish']);
    expect(index.effectsOf(asked)?.outcomes).not.toEqual(before?.outcomes);
    index.set('/p/closer.cpp', effects(closer));
    expect(index.effectsOf(asked)).toBe(before);
    expect(index.callersOf(new Set(['close', 'keep', 'abort']))).toEqual(['/p/importer.cpp']);
  });

  it('a document that is kept follows the other file', () => {
    const { index } = workspace({ '/p/importer.cpp': importer, '/p/closer.cpp': closer });
    const document = new ParsedDocument(grammars);
    const codes = () => lint('/p/main.cpp', twice, grammars, { ...options, elsewhere: index }, document).findings.map(({ ruleId }) => ruleId);
    expect(codes()).toEqual(['fd/use-after-transfer']);
    index.set('/p/closer.cpp', lint('/p/closer.cpp', other, grammars, options).effects);
    expect(codes()).toEqual([]);
    index.set('/p/closer.cpp', lint('/p/closer.cpp', closer, grammars, options).effects);
    expect(codes()).toEqual(['fd/use-after-transfer']);
    index.set('/p/closer.cpp', undefined);
    expect(codes()).toEqual([]);
    document.dispose();
  });
});

const question: EffectQuestion = {
  machine: 'fd-ownership',
  name: '',
  arity: 1,
  receiver: undefined,
  scope: undefined,
  within: undefined,
  module: undefined,
  from: '',
  windows: false,
};
