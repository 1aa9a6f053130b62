// What a call tells about the function of another file that it means.
import { expect, it } from 'vitest';
import { questionOf } from '../../../helper/lint/flow/elsewhere';
import { facts } from './harness';

function asked(name: string, text: string) {
  const file = facts(name, text);
  return file.functions.flatMap((fn) =>
    fn.calls.flatMap((call) => {
      const question = questionOf(file, call, 'm');
      return question ? [{ ...question, machine: undefined }] : [];
    }),
  );
}

const cpp = (body: string, around = '') =>
  `#include <cuda.h>\n${around}struct Owner { Importer importer_; void run(); int fd_; };\nvoid Owner::run() { ${body} }\n`;

const calls: [string, object | undefined][] = [
  ['take(fd, 1);', { name: 'take', arity: 2, within: 'Owner', scope: undefined, receiver: undefined }],
  ['interop::take(fd);', { name: 'take', scope: 'interop' }],
  ['this->take(fd);', { name: 'take', receiver: 'Owner' }],
  ['importer_.take(fd);', { name: 'take', receiver: 'Importer' }],
  ['const base::Importer& other = get; other.take(fd);', { name: 'take', receiver: 'Importer' }],
  ['std::unique_ptr<base::Importer> held; held->take(fd);', { name: 'take', receiver: 'Importer' }],
  ['find(1)->take(fd);', undefined],
  ['auto it = 1; it.first.take(fd);', undefined],
  ['cuCtxSynchronize();', undefined],
];

for (const [body, expected] of calls) {
  it(body, () => {
    const found = asked('a.cpp', cpp(body)).filter(({ name }) => name === 'take' || expected === undefined);
    if (expected) expect(found).toMatchObject([expected]);
    else expect(found.filter(({ name }) => name !== 'find')).toEqual([]);
  });
}

it('a function of the same file may be meant: nothing is asked', () => {
  expect(asked('a.cpp', cpp('take(fd, 1);', 'static void take(int a) {}\n'))).toEqual([]);
});

it('Python asks by the module that was imported', () => {
  const python = (imports: string, call: string) =>
    asked('a.py', `${imports}\nimport torch\ndef f(fd, x):\n    ${call}\n`).map(({ module, name }) => [module, name]);
  expect(python('from tools.helper import finish', 'finish(fd)')).toEqual([['tools.helper', 'finish']]);
  expect(python('from tools.helper import finish as end', 'end(fd)')).toEqual([['tools.helper', 'finish']]);
  expect(python('import helper', 'helper.finish(fd)')).toEqual([['helper', 'finish']]);
  expect(python('from . import helper', 'helper.finish(fd)')).toEqual([['helper', 'finish']]);
  expect(python('', 'finish(fd)')).toEqual([]);
  expect(python('', 'x.finish(fd)')).toEqual([]);
});
