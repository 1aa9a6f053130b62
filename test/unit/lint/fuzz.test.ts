// A few cases of `test/fuzz/lint.mjs`, the same in every run, and whether the fuzzer would see what it is there for.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Case, caseOf, faultOf } from '../../fuzz/cases';
import { readCorpus } from '../../fuzz/corpus';
import { minimised } from '../../fuzz/minimise';
import { WatchedThread } from '../../fuzz/watch';
import { grammars } from './harness';

const root = path.resolve(import.meta.dirname, '../../..');
const corpus = readCorpus(['test/fixtures/lint', 'snippets'].map((folder) => path.join(root, folder)));

/** Long enough for the slowest machine; a hang never ends. */
const hangGuardMs = 300_000;

it.each([1, 2, 3, 4])('spoilt sources crash neither a rule nor the engine: seed %i', { timeout: hangGuardMs }, (seed) => {
  for (let index = 0; index < 40; index++) expect(faultOf(caseOf(corpus, seed, index), grammars), `seed ${seed}, case ${index}`).toBeUndefined();
});

it('a seed means the same cases in every run, and others than another seed', () => {
  expect(caseOf(corpus, 7, 11)).toEqual(caseOf(corpus, 7, 11));
  expect(caseOf(corpus, 8, 11)).not.toEqual(caseOf(corpus, 7, 11));
});

it('tries all kinds of cases, and languages', () => {
  const cases = Array.from({ length: 300 }, (_, i) => caseOf(corpus, 1, i));
  expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set(['bytes', 'edits', 'config']));
  const endings = cases.map((each) => (each.kind === 'config' ? '' : path.extname(each.path)));
  for (const ending of ['.cpp', '.py', '.mm', '.cu']) expect(endings).toContain(ending);
});

it('sees a trap in the parser, though the linter goes on after it', () => {
  let isFirst = true;
  const parse = (grammar: 'cuda' | 'python', text: string) =>
    grammars.module.attempt(() => {
      if (isFirst) {
        isFirst = false;
        throw Object.assign(new Error('unreachable'), { name: 'RuntimeError' });
      }
      return grammars.parse(grammar, text);
    });
  const tried: Case = { kind: 'bytes', path: 'a.cu', bytes: Buffer.from('void f() { cudaFree(0); }') };
  expect(faultOf(tried, { module: grammars.module, parse } as unknown as typeof grammars)?.kind).toBe('trap in the parser');
  expect(faultOf(tried, grammars)).toBeUndefined();
});

it('makes a fault smaller while it stays the same', async () => {
  const found: Case = { kind: 'config', text: 'one\ntwo {\n three four\n}\nfive\n' };
  const isSame = async (tried: Case) => tried.kind === 'config' && /three/.test(tried.text);
  expect(await minimised(found, isSame, Number.POSITIVE_INFINITY)).toEqual({ kind: 'config', text: 'three' });
});

describe('the watch', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'seamscope-fuzz-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['hang', 'for (;;);', 'hang'],
    [
      'heap',
      'const all = []; for (;;) all.push(new Array(1000).fill(all.length));',
      'end of the thread: Worker terminated due to reaching memory limit',
    ],
    ['exit', 'throw new Error("boom");', 'end of the thread: boom'],
  ])('sees a thread that ends in a %s', { timeout: hangGuardMs }, async (name, work, kind) => {
    const script = path.join(folder, `${name}.cjs`);
    writeFileSync(
      script,
      `const { parentPort } = require('node:worker_threads');\nparentPort.on('message', () => { ${work} });\nparentPort.postMessage({ kind: 'ready' });\n`,
    );
    const thread = new WatchedThread(script, { dir: '', folders: [], seed: 0 }, name === 'hang' ? 500 : 100_000);
    expect((await thread.try({ kind: 'config', text: '' }))?.kind).toContain(kind);
    const heard: unknown[] = [];
    expect(await thread.run(5, 9, (report) => heard.push(report))).toBe(6);
    expect(heard).toMatchObject([{ kind: 'fault', index: 5 }]);
    await thread.close();
  });
});
