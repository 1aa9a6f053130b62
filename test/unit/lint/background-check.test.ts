// A check by a background thread that has just started: what it was told of waits to be read, and the check does not wait for ever.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { effectsOf } from '../../../helper/lint/engine';
import { Indexer } from '../../../helper/lint/server/background/indexer';
import type { FromBackground } from '../../../helper/lint/server/background/messages';
import { facts, grammars } from './harness';
import { caller, closer } from './two-files';

it('begins when an open document concerns files that were not read again', { timeout: 20_000 }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'seamscope-thread-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = (name: string) => path.join(folder, name);
  writeFileSync(at('a.cpp'), caller);
  const told: FromBackground[] = [];
  const indexer = new Indexer(Promise.resolve(grammars), (message) => told.push(message));
  indexer.index.set(at('a.cpp'), effectsOf([facts(at('a.cpp'), caller)]));
  indexer.setOpen(at('b.cpp'), effectsOf([facts(at('b.cpp'), closer)]));
  await indexer.take({ kind: 'check', id: 1, folders: [folder] });
  expect(told.flatMap((message) => (message.kind === 'checked' ? message.findings.map(({ ruleId }) => ruleId) : []))).toEqual([
    'fd/use-after-transfer',
  ]);
  expect(told.some((message) => message.kind === 'checkEnded')).toBe(true);
});
