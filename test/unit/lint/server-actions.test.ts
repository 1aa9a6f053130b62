// What the server offers beside diagnostics: fixes, suppressions, rule pages, configuration.
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { FIX_ALL_KIND } from '../../../helper/protocol/lint';
import { faulty, mendable } from './cli-harness';
import { editsOf, LspSession } from './lsp-session';

const uri = 'file:///project/a.cpp';
const session = new LspSession();
const folder = mkdtempSync(path.join(tmpdir(), 'seamscope-server-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('code actions', () => {
  it('mend, the safe ones preferred', async () => {
    await session.start();
    await session.open(uri, mendable);
    const [fix] = await session.actions(uri, 2, ['quickfix']);
    expect(fix).toMatchObject({ title: 'Use VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT', kind: 'quickfix', isPreferred: true });
    expect(fix!.diagnostics!.map(({ code }) => code)).toEqual(['memory/handle-enum']);
    expect(fix!.edit!.documentChanges![0]).toMatchObject({ textDocument: { uri, version: 1 } });
    expect(editsOf(fix)).toEqual([[2, 'VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT']]);
    expect(await session.actions(uri, 0, ['quickfix'])).toEqual([]);
  });

  it('that need a look are not preferred', async () => {
    await session.start();
    await session.open(uri, faulty);
    const [fix] = await session.actions(uri, 3);
    expect(fix).toMatchObject({ title: 'Close only when cuImportExternalMemory failed', isPreferred: false });
    expect(
      editsOf(fix)
        .map(([line]) => line)
        .sort(),
    ).toEqual([2, 2, 3]);
  });

  it('mend all that is safe, and only when asked', async () => {
    await session.start();
    await session.open(uri, `${mendable}${mendable.replace('void g', 'void h')}${faulty}`);
    const [all] = await session.actions(uri, 0, ['source.fixAll']);
    expect([all!.kind, editsOf(all).map(([line]) => line)]).toEqual([FIX_ALL_KIND, [2, 6]]);
    expect((await session.actions(uri, 2)).map(({ kind }) => kind)).not.toContain(FIX_ALL_KIND);
    await session.open('file:///project/b.cpp', faulty);
    expect(await session.actions('file:///project/b.cpp', 3, ['source.fixAll'])).toEqual([]);
  });

  it('suppress with a place for the reason', async () => {
    await session.start();
    await session.open(uri, faulty.replace(/\n/g, '\r\n'));
    const titled = (await session.actions(uri, 3)).filter(({ title }) => title.startsWith('Suppress'));
    expect(titled.map(({ title }) => title)).toEqual([
      'Suppress fd/use-after-transfer here, with a reason',
      'Suppress fd/use-after-transfer in this file, with a reason',
    ]);
    expect(titled.map((action) => editsOf(action)[0])).toEqual([
      [3, '    // seamscope-disable-next-line fd/use-after-transfer -- <reason>\r\n'],
      [0, '// seamscope-disable-file fd/use-after-transfer -- <reason>\r\n'],
    ]);
  });

  it('put the cursor into the reason where the client can, and know Python', async () => {
    await session.start({ workspace: { workspaceEdit: { snippetEditSupport: true } } });
    const python = 'file:///project/a.py';
    await session.open(python, '#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nm.unmap(event=e.cuda_event, stream=s.cuda_stream)\n', 'python');
    const [here, file] = (await session.actions(python, 2)).filter(({ title }) => title.startsWith('Suppress'));
    expect(editsOf(here)).toEqual([[2, `# seamscope-disable-next-line sync/unmap-event-and-stream -- $\{1:<reason>}\n`]]);
    expect(editsOf(file)[0]![0]).toBe(2);
  });
});

describe('rule pages', () => {
  it('are on the web, or behind a command of the client', async () => {
    await session.start();
    await session.open(uri, faulty);
    expect((await session.pull(uri))[0]!.codeDescription!.href).toMatch(/^https:.*\/docs\/rules\/fd\/use-after-transfer\.md$/);
  });

  it('open by a command', async () => {
    await session.start({ initializationOptions: { openRuleCommand: 'seamscope.openRule' } });
    await session.open(uri, faulty);
    const { href } = (await session.pull(uri))[0]!.codeDescription!;
    expect(decodeURIComponent(href)).toBe('command:seamscope.openRule?["fd/use-after-transfer"]');
  });

  it('tell in the hover why it is a fault', async () => {
    await session.start({ initializationOptions: { openRuleCommand: 'seamscope.openRule' } });
    await session.open(uri, faulty);
    const hover = await session.hover(uri, 3, 6);
    expect(hover!.contents).toMatchObject({
      kind: 'markdown',
      value: expect.stringMatching(/\(command:seamscope\.openRule\?.*\)\*\*\n\nA successful import/),
    });
    expect(await session.hover(uri, 0, 0)).toBeNull();
  });
});

describe('seamscope.json in the editor', () => {
  const config = path.join(folder, 'seamscope.json');
  const configUri = pathToFileURL(config).href;
  const source = pathToFileURL(path.join(folder, 'a.cpp')).href;
  const changed = () => session.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: configUri, type: 2 }] });
  const lastFor = (wanted: string) => session.published.filter((each) => each.uri === wanted).at(-1)?.diagnostics;

  it('counts, is read again when it changes, and shows its faults at their place', async () => {
    writeFileSync(config, '{"rules": {"fd/use-after-transfer": "off"}}');
    await session.start();
    await session.open(source, faulty);
    expect(await session.codes(source)).toEqual([]);

    writeFileSync(config, '{\n  "rules": {"fd/use-after-transfer": "loud"}\n}');
    await changed();
    await vi.waitFor(() => expect(session.refreshes).toBe(1), 5000);
    expect(await session.codes(source)).toEqual(['fd/use-after-transfer']);
    await vi.waitFor(() => expect(lastFor(configUri)).toHaveLength(1), 5000);
    expect(lastFor(configUri)![0]).toMatchObject({ range: { start: { line: 1, character: 37 }, end: { line: 1, character: 43 } }, severity: 1 });

    unlinkSync(config);
    await changed();
    await vi.waitFor(() => expect(lastFor(configUri)).toEqual([]), 5000);
  });

  it('counts as it is typed', async () => {
    await session.start();
    await session.open(configUri, '{"rules": {"fd/use-after-transfer": "off"}}', 'json');
    await session.open(source, faulty);
    expect(await session.codes(source)).toEqual([]);
    await session.notify('textDocument/didChange', { textDocument: { uri: configUri, version: 2 }, contentChanges: [{ text: '{' }] });
    await vi.waitFor(() => expect(lastFor(configUri)?.[0]?.message).toMatch(/A name in double quotes is missing/), 5000);
    expect(await session.codes(source)).toEqual(['fd/use-after-transfer']);
    expect(await session.pull(configUri)).toEqual([]);
  });

  it('leaves out what it ignores', async () => {
    writeFileSync(config, '{"ignore": ["*.cpp"]}');
    await session.start();
    await session.open(source, faulty);
    expect(await session.codes(source)).toEqual([]);
  });
});
