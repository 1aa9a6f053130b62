// Diagnostics that depend on other files of the workspace, over a real connection.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LspSession } from './lsp-session';
import { closer, caller as main } from './two-files';

const session = new LspSession();
let folder = '';
const at = (name: string) => path.join(folder, name);
const uri = (name: string) => pathToFileURL(at(name)).href;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'seamscope-cross-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const reader = '#include <cuda.h>\nvoid finish(int fd) { printf("%d", fd); }\n';
const finding = 'fd/use-after-transfer';

function write(name: string, text: string): void {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
}

async function start(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) write(name, text);
  await session.start({ workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'project' }] });
}

const eventually = (codes: string[]) =>
  vi.waitFor(async () => expect(await session.codes(uri('main.cpp'))).toEqual(codes), { timeout: 20_000, interval: 50 });
const change = (name: string, version: number, text: string) =>
  session.notify('textDocument/didChange', { textDocument: { uri: uri(name), version }, contentChanges: [{ text }] });
const watched = (name: string) => session.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: uri(name), type: 2 }] });

describe('diagnostics across files', () => {
  it('come and go with the text of another open document', { timeout: 60_000 }, async () => {
    await start({ 'main.cpp': main, 'closer.cpp': closer });
    await session.open(uri('main.cpp'), main);
    await session.open(uri('closer.cpp'), closer);
    await eventually([finding]);
    const before = session.refreshes;
    await session.pull(uri('closer.cpp'));
    await change('closer.cpp', 2, reader);
    await session.pull(uri('closer.cpp'));
    await eventually([]);
    await change('closer.cpp', 3, closer);
    await session.pull(uri('closer.cpp'));
    await eventually([finding]);
    expect(session.refreshes).toBeGreaterThan(before);
  });

  it('follow files on disk that nobody has open, new and deleted ones too', { timeout: 60_000 }, async () => {
    await start({ 'main.cpp': main, 'lib/closer.cpp': closer });
    await session.open(uri('main.cpp'), main);
    await eventually([finding]);
    write('lib/closer.cpp', reader);
    await watched('lib/closer.cpp');
    await eventually([]);
    write('other.cpp', closer);
    await watched('other.cpp');
    await eventually([finding]);
    rmSync(at('other.cpp'));
    await watched('other.cpp');
    await eventually([]);
  });

  it('follow the disk again when a document is closed with changes that were not saved', { timeout: 60_000 }, async () => {
    await start({ 'main.cpp': main, 'closer.cpp': closer });
    await session.open(uri('main.cpp'), main);
    await eventually([finding]);
    await session.open(uri('closer.cpp'), reader);
    await session.pull(uri('closer.cpp'));
    await eventually([]);
    await session.notify('textDocument/didClose', { textDocument: { uri: uri('closer.cpp') } });
    await eventually([finding]);
  });

  it('reach over a file between, whichever is read first', { timeout: 60_000 }, async () => {
    const between = '#include <cuda.h>\nvoid really(int fd);\nvoid finish(int fd) { really(fd); }\n';
    await start({ 'main.cpp': main, 'a.cpp': between, 'z.cpp': closer.replace('finish', 'really') });
    await session.open(uri('main.cpp'), main);
    await eventually([finding]);
    await session.open(uri('z.cpp'), reader.replace('finish', 'really'));
    await session.pull(uri('z.cpp'));
    await eventually([]);
  });

  it('are silent where a file without any API has a function of the same name', { timeout: 60_000 }, async () => {
    await start({ 'main.cpp': main, 'lib/closer.cpp': closer });
    await session.open(uri('main.cpp'), main);
    await eventually([finding]);
    write('pool/pool.cpp', 'void finish(int fd) { pool.push_back(fd); }\n');
    await watched('pool/pool.cpp');
    await eventually([]);
  });

  it('do not look into folders that a run of the command leaves out', { timeout: 60_000 }, async () => {
    await start({ 'main.cpp': main, 'node_modules/closer.cpp': closer });
    await session.open(uri('main.cpp'), main);
    await session.pull(uri('main.cpp'));
    write('build/closer.cpp', closer);
    await watched('build/closer.cpp');
    write('closer.cpp', closer);
    await watched('closer.cpp');
    await eventually([finding]);
    write('closer.cpp', reader);
    await watched('closer.cpp');
    await eventually([]);
  });
});
