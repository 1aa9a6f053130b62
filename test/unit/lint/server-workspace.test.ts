// `workspace/diagnostic`: all files of the workspace on request, over a real connection.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { LspSession } from './lsp-session';

const session = new LspSession();
let folder = '';
const at = (name: string) => path.join(folder, name);
const uri = (name: string) => pathToFileURL(at(name)).href;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'seamscope-check-'));
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true, force: true });
});

const importing = (after: string) => `#include <cuda.h>
void finish(int fd);
void share(CUexternalMemory* memory, int fd) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle = {.fd = fd}, .size = 64};
    if (cuImportExternalMemory(memory, &desc) != CUDA_SUCCESS) return;
    ${after}
}
`;
const closer = '#include <cuda.h>\nvoid finish(int fd) { close(fd); }\n';
const rule = 'fd/use-after-transfer';

interface Report {
  readonly items: readonly { readonly uri: string; readonly version: number | null; readonly items: readonly { readonly code: string }[] }[];
}

async function start(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  }
  await session.start({ workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'project' }] });
}

const check = (params: object = {}) => session.request<Report>('workspace/diagnostic', { previousResultIds: [], ...params });
const shown = ({ items }: Report) =>
  items.flatMap((each) => each.items.map(({ code }) => `${path.relative(folder, new URL(each.uri).pathname)} ${code}`)).sort();

describe('a check of the workspace', () => {
  it('finds what all files have, with what others do, and open documents by their text', { timeout: 120_000 }, async () => {
    await start({ 'a.cpp': importing('finish(fd);'), 'lib/closer.cpp': closer, 'b.cpp': importing('close(fd);'), 'c.cpp': importing('') });
    await session.open(uri('b.cpp'), importing(''));
    await session.open(uri('c.cpp'), importing('close(fd);'));
    const report = await check();
    expect(shown(report)).toEqual([`a.cpp ${rule}`, `c.cpp ${rule}`]);
    expect(report.items.find((each) => each.uri === uri('b.cpp'))).toMatchObject({ version: 1, items: [] });
  });

  it('sends results as they are found, and how far it is', { timeout: 120_000 }, async () => {
    await start({ 'a.cpp': importing('close(fd);'), 'b.cpp': importing('close(fd);') });
    expect(await check({ partialResultToken: 'part', workDoneToken: 'work' })).toEqual({ items: [] });
    const of = (token: string) => session.progress.filter((each) => each.token === token).map(({ value }) => value);
    expect(shown({ items: of('part').flatMap((value) => (value as unknown as Report).items) })).toEqual([`a.cpp ${rule}`, `b.cpp ${rule}`]);
    expect(of('work').map(({ kind }) => kind)).toEqual(expect.arrayContaining(['begin', 'report', 'end']));
    expect(of('work')[0]).toMatchObject({ cancellable: true });
  });

  it('gets by links in a circle, folders without permission, huge headers, generated and broken files', { timeout: 180_000 }, async () => {
    const header = `#include <cuda.h>\n${Array.from({ length: 20_000 }, (_, i) => `int f${i}(CUdevice device, int a = ${i});`).join('\n')}\n`;
    const minified = `#include <cuda.h>\nvoid g(){${'cuCtxSynchronize();'.repeat(2000)}}`;
    await start({
      'a.cpp': importing('close(fd);'),
      'huge.h': header,
      'min.cpp': minified,
      'half.cpp': '#if 1\nvoid f( { cuInit(0',
      'shut/x.cpp': closer,
      'z.cpp': importing('close(fd);'),
    });
    symlinkSync(folder, at('loop'));
    chmodSync(at('shut'), 0);
    // The last one too: none of the others has ended the check.
    expect(shown(await check())).toEqual([`a.cpp ${rule}`, `z.cpp ${rule}`]);
    chmodSync(at('shut'), 0o755);
  });

  it('ends when it is cancelled, and the server goes on', { timeout: 120_000 }, async () => {
    await start(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}.cpp`, importing('close(fd);')])));
    const source = new CancellationTokenSource();
    const checked = session.request<Report>('workspace/diagnostic', { previousResultIds: [], partialResultToken: 'part' }, source.token);
    source.cancel();
    await checked.catch(() => undefined);
    expect(session.progress.filter(({ token }) => token === 'part').length).toBeLessThan(40);
    expect(shown(await check()).length).toBe(40);
  });
});
