// The bundled server in a process of its own, spoken to as an editor does.
import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createMessageConnection, IPCMessageReader, IPCMessageWriter, type MessageConnection } from 'vscode-jsonrpc/node';
import { bundleInto } from './bundles';

const faulty = `void f(CUexternalMemory m, int fd) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd};
    cuImportExternalMemory(&m, &desc);
    close(fd);
}
`;
const uri = 'file:///project/a.cpp';

let server: string;
let child: ChildProcess;
let connection: MessageConnection;

beforeAll(() => {
  server = bundleInto('helper/lint/server/main.ts', 'lint-server.js');
});
afterAll(() => rmSync(path.dirname(server), { recursive: true, force: true }));
afterEach(async () => {
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await connection.sendRequest('shutdown');
  await connection.sendNotification('exit');
  expect(await exited).toBe(0);
  connection.dispose();
});

async function start(textDocument: object) {
  child = fork(server, ['--node-ipc'], { silent: true });
  connection = createMessageConnection(new IPCMessageReader(child), new IPCMessageWriter(child));
  connection.listen();
  const answer: { capabilities: Record<string, unknown> } = await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities: { textDocument },
  });
  await connection.sendNotification('initialized', {});
  return answer.capabilities;
}

const open = (text: string, languageId = 'cpp', at = uri) =>
  connection.sendNotification('textDocument/didOpen', { textDocument: { uri: at, languageId, version: 1, text } });
const pull = (at = uri, previousResultId?: string): Promise<{ kind: string; resultId?: string; items: { code: string }[] }> =>
  connection.sendRequest('textDocument/diagnostic', { textDocument: { uri: at }, previousResultId });

describe('lint server', () => {
  it('answers pulls with code, page and the other place', async () => {
    expect(await start({ diagnostic: {} })).toMatchObject({ diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: false } });
    await open(faulty);
    const first = await pull();
    expect(first).toMatchObject({
      kind: 'full',
      items: [
        {
          code: 'fd/use-after-transfer',
          codeDescription: { href: expect.stringMatching(/^https:.*fd\/use-after-transfer\.md$/) },
          source: 'seamscope',
          severity: 1,
          range: { start: { line: 3, character: 4 }, end: { line: 3, character: 13 } },
          relatedInformation: [{ location: { uri, range: { start: { line: 2, character: 4 } } } }],
        },
      ],
    });
    expect((await pull(uri, first.resultId)).kind).toBe('unchanged');
  });

  it('follows edits, incrementally', async () => {
    await start({ diagnostic: {} });
    await open(faulty);
    expect((await pull()).items.length).toBe(1);
    const range = { start: { line: 3, character: 10 }, end: { line: 3, character: 12 } };
    await connection.sendNotification('textDocument/didChange', { textDocument: { uri, version: 2 }, contentChanges: [{ range, text: 'other' }] });
    expect((await pull()).items).toEqual([]);
  });

  it('does not compute what a newer version has overtaken', async () => {
    await start({ diagnostic: {} });
    await open(faulty);
    const first = pull();
    await connection.sendNotification('textDocument/didChange', { textDocument: { uri, version: 2 }, contentChanges: [{ text: 'int x;' }] });
    const last = pull();
    await expect(first).rejects.toMatchObject({ code: -32802, data: { retriggerRequest: true } });
    expect((await last).items).toEqual([]);
  });

  it('takes the language from the editor where the name tells none', async () => {
    await start({ diagnostic: {} });
    const untitled = 'untitled:Untitled-1';
    await open('m.unmap(event=e.cuda_event, stream=s.cuda_stream)\n', 'python', untitled);
    expect((await pull(untitled)).items.map(({ code }) => code)).toEqual(['sync/unmap-event-and-stream']);
  });

  it('pushes to clients that cannot pull, and clears on close', async () => {
    expect(await start({})).not.toHaveProperty('diagnosticProvider');
    const published: { uri: string; version?: number; diagnostics: unknown[] }[] = [];
    const next = (count: number) =>
      new Promise<void>((resolve) => {
        const timer = setInterval(() => {
          if (published.length < count) return;
          clearInterval(timer);
          resolve();
        }, 10);
      });
    connection.onNotification('textDocument/publishDiagnostics', (params) => {
      published.push(params);
    });
    await open(faulty);
    await next(1);
    await connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
    await next(2);
    expect(published.map((each) => [each.version, each.diagnostics.length])).toEqual([
      [1, 1],
      [undefined, 0],
    ]);
  });
});
