// A rule and a parser that fail, over a real connection: told once, and the rest goes on.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LspSession } from './lsp-session';

let folder = '';
const uri = (name: string) => pathToFileURL(path.join(folder, name)).href;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'seamscope-crash-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const faulty = `#include <cuda.h>
void share(CUexternalMemory* memory, int fd) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle = {.fd = fd}, .size = 64};
    if (cuImportExternalMemory(memory, &desc) != CUDA_SUCCESS) return;
    close(fd);
}
`;
const rule = 'fd/use-after-transfer';

describe('a rule that fails', () => {
  const session = new LspSession('test/unit/lint/crashing-server.ts');
  const told = () => session.logged.filter((message) => message.includes('memory/handle-enum'));

  it('is told once for all open documents, and the others go on', { timeout: 120_000 }, async () => {
    await session.start();
    for (const name of ['a.cpp', 'b.cpp']) {
      await session.open(uri(name), faulty);
      expect(await session.codes(uri(name))).toEqual([rule]);
    }
    expect(told()).toEqual([`The rule memory/handle-enum failed on ${uri('a.cpp')} (boom); the other rules went on.`]);
  });

  it('is told once by a check of the workspace', { timeout: 120_000 }, async () => {
    for (const name of ['a.cpp', 'b.cpp']) writeFileSync(path.join(folder, name), faulty);
    await session.start({ workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'project' }] });
    const { items } = await session.request<{ items: { items: { code: string }[] }[] }>('workspace/diagnostic', { previousResultIds: [] });
    expect(items.flatMap((each) => each.items.map(({ code }) => code))).toEqual([rule, rule]);
    await expect.poll(told).toEqual([expect.stringMatching(/^The rule memory\/handle-enum failed on .*a\.cpp \(boom\)/)]);
  });
});

describe('a parser that traps', () => {
  const session = new LspSession('test/unit/lint/trapping-server.ts');
  const told = () => session.logged.filter((message) => message.includes('is not checked'));
  const trapping = `${faulty}int TRAP;\n`;

  it('costs the other documents nothing, nor this one once it is edited', { timeout: 120_000 }, async () => {
    await session.start();
    await session.open(uri('a.cpp'), faulty);
    await session.open(uri('b.cpp'), trapping);
    expect(await session.codes(uri('a.cpp'))).toEqual([rule]);
    const items = await session.pull(uri('b.cpp'));
    const message = 'Seamscope does not check this file: the parser failed on it (unreachable). Please report this.';
    expect(items).toMatchObject([{ message, severity: 3, range: { start: { line: 0, character: 0 } } }]);
    expect(told()).toEqual([`${uri('b.cpp')} is not checked: the parser failed on it (unreachable). Please report this.`]);
    const change = (name: string, text: string) =>
      session.notify('textDocument/didChange', { textDocument: { uri: uri(name), version: 2 }, contentChanges: [{ text }] });
    await change('a.cpp', `\n${faulty}`);
    await change('b.cpp', faulty);
    expect(await session.codes(uri('a.cpp'))).toEqual([rule]);
    expect(await session.codes(uri('b.cpp'))).toEqual([rule]);
  });

  it('is told by a check of the workspace, which goes on', { timeout: 120_000 }, async () => {
    for (const [name, text] of Object.entries({ 'a.cpp': trapping, 'b.cpp': faulty })) writeFileSync(path.join(folder, name), text);
    await session.start({ workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'project' }] });
    const { items } = await session.request<{ items: { items: { code: string }[] }[] }>('workspace/diagnostic', { previousResultIds: [] });
    expect(items.flatMap((each) => each.items.map(({ code }) => code))).toEqual([rule]);
    await expect.poll(told).toEqual([expect.stringMatching(/a\.cpp is not checked: the parser failed on it \(unreachable\)/)]);
  });
});
