// The machine-readable outputs of `seamscope lint`.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import Ajv from 'ajv';
import type * as Sarif from 'sarif';
import { describe, expect, it, vi } from 'vitest';
import { rules } from '../../../helper/lint/rules/registry';
import { CommandLine, faulty, mendable } from './cli-harness';

const cli = new CommandLine();

/** The schema of the SARIF committee as a package ships it; its draft-04 head says nothing that the draft of ajv does not. */
function sarifSchema(): object {
  const file = createRequire(import.meta.url).resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  const { $schema, id, ...schema } = JSON.parse(readFileSync(file, 'utf8'));
  expect($schema).toContain('draft-04');
  expect(id).toContain('sarif-2.1.0');
  return schema;
}

const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true, unicodeRegExp: false }).compile(sarifSchema());

async function sarif(...args: string[]): Promise<Sarif.Run> {
  const { out } = await cli.run('--format', 'sarif', ...args);
  const log = JSON.parse(out) as Sarif.Log;
  validate(log);
  expect(validate.errors).toBeNull();
  return log.runs[0]!;
}

describe('SARIF', () => {
  it('is refused by the schema when it is wrong', () => {
    expect(validate({ version: '2.1.0', runs: [{ tool: { driver: {} }, results: [{ message: 3 }] }] })).toBe(false);
  });

  it('has rules with pages, results with places and the way to them', async () => {
    const root = cli.tree('sarif', { 'a b.cpp': faulty, 'c.cpp': 'int main() {}' });
    const run = await sarif(root);
    const { driver } = run.tool;
    expect(driver.rules!.map(({ id }) => id)).toEqual(rules.map((rule) => rule.meta.id));
    expect(run.results!.length).toBe(1);
    const [result] = run.results!;
    expect(driver.rules![result!.ruleIndex!]!.id).toBe('fd/use-after-transfer');
    expect(driver.rules![result!.ruleIndex!]).toMatchObject({
      help: { markdown: expect.stringContaining('## What it cannot see') },
      helpUri: expect.stringMatching(/^https:.*fd\/use-after-transfer\.md$/),
      properties: { precision: 'very-high', 'problem.severity': 'error' },
    });
    expect(result).toMatchObject({
      level: 'error',
      suppressions: [],
      locations: [
        {
          physicalLocation: { region: { startLine: 4, startColumn: 5, endLine: 4, endColumn: 14 } },
          logicalLocations: [{ fullyQualifiedName: 'f' }],
        },
      ],
    });
    expect(result!.locations![0]!.physicalLocation!.artifactLocation!.uri).toMatch(/^file:.*\/a%20b\.cpp$/);
    const flow = result!.codeFlows![0]!.threadFlows[0]!.locations.map(({ location }) => location!.physicalLocation!.region!.startLine);
    expect(flow).toEqual([3, 4]);
    expect(result!.relatedLocations!.map(({ message }) => message!.text)).toEqual([expect.stringContaining('cuImportExternalMemory')]);
  });

  it('has paths relative to the working folder', async () => {
    const root = cli.tree('relative', { 'src/a.cpp': faulty });
    vi.spyOn(process, 'cwd').mockReturnValue(root);
    const [result] = (await sarif(path.join(root, 'src'))).results!;
    expect(result!.locations![0]!.physicalLocation!.artifactLocation).toEqual({ uri: 'src/a.cpp', uriBaseId: '%SRCROOT%' });
  });

  it('has fingerprints that survive moved lines and tell equals apart', async () => {
    const prints = async (name: string, text: string) =>
      (await sarif(cli.tree(name, { 'a.cpp': text }))).results!.map((result) => result.partialFingerprints!['seamscope/v1']);
    const before = await prints('prints', faulty);
    const moved = await prints('moved', `#include <cuda.h>\n\n// moved\n${faulty.replace('close(fd)', 'close( fd )')}`);
    expect(before[0]).toMatch(/^[\da-f]{16}$/);
    expect(moved).toEqual(before);
    const [first, second] = await prints('twice', mendable.replace(/^(.*SEMAPHORE.*)$/m, '$1\n$1'));
    expect(first).not.toBe(second);
    const [other] = await prints('renamed', faulty.replace('void f', 'void g'));
    expect(other).not.toBe(before[0]);
  });

  it('keeps what is suppressed, with the reason', async () => {
    const text = faulty.replace('close(fd);', 'close(fd);  // seamscope-disable-line fd/use-after-transfer -- a test driver duplicates');
    const baseline = cli.at('sarif-baseline.json');
    const root = cli.tree('kept', { 'a.cpp': text, 'b.cpp': mendable });
    await cli.run('--baseline', baseline, '--write-baseline', root);
    const run = await sarif('--baseline', baseline, root);
    expect(run.results!.map(({ ruleId, suppressions }) => [ruleId, suppressions])).toEqual([
      ['fd/use-after-transfer', [{ kind: 'inSource', status: 'accepted', justification: 'a test driver duplicates' }]],
      ['memory/handle-enum', [{ kind: 'external', status: 'accepted', justification: expect.any(String) }]],
    ]);
  });

  it('tells what could not be checked', async () => {
    const run = await sarif(cli.tree('unchecked', { 'elf.cpp': '\x7fELF\0\0\0' }));
    expect(run.invocations![0]!.toolExecutionNotifications!.map(({ message }) => message.text)).toEqual([expect.stringContaining('binary file')]);
  });
});

describe('GitHub annotations', () => {
  it('name file, place, rule and the other place', async () => {
    const root = cli.tree('github', { 'src/a,b.cpp': faulty });
    vi.spyOn(process, 'cwd').mockReturnValue(root);
    const { code, out } = await cli.run('--format=github', path.join(root, 'src'));
    expect(code).toBe(1);
    expect(out).toMatch(
      /^::error file=src\/a%2Cb\.cpp,line=4,col=5,endColumn=14,title=fd\/use-after-transfer::`fd` is closed .*%0A.*cuImportExternalMemory.* \(line 3\)\n$/,
    );
  });

  it('are none without findings', async () => {
    expect(await cli.run('--format=github', cli.tree('github-clean', { 'a.cpp': 'int main() {}' }))).toEqual({ code: 0, out: '', err: '' });
  });
});

describe('JSON', () => {
  it('has exactly the documented fields', async () => {
    const { out } = await cli.run('--format=json', cli.tree('json-shape', { 'a.cpp': faulty }));
    const [finding] = JSON.parse(out).findings;
    expect(Object.keys(finding)).toEqual(['ruleId', 'severity', 'message', 'file', 'line', 'column', 'endLine', 'endColumn', 'related']);
    expect(Object.keys(finding.related[0])).toEqual(['message', 'file', 'line']);
  });
});

describe('text', () => {
  it('is coloured on a terminal only', async () => {
    const root = cli.tree('colour', { 'a.cpp': faulty });
    const { isTTY } = process.stdout;
    // Whatever the terminal of the tests is.
    vi.stubEnv('FORCE_COLOR', undefined);
    vi.stubEnv('NO_COLOR', undefined);
    vi.stubEnv('TERM', 'xterm');
    const colour = '\u001b[';
    expect((await cli.run(root)).out).not.toContain(colour);
    process.stdout.isTTY = true;
    try {
      expect((await cli.run(root)).out).toContain(`${colour}31merror`);
      vi.stubEnv('NO_COLOR', '1');
      expect((await cli.run(root)).out).not.toContain(colour);
      vi.stubEnv('NO_COLOR', undefined);
      vi.stubEnv('TERM', 'dumb');
      expect((await cli.run(root)).out).not.toContain(colour);
    } finally {
      process.stdout.isTTY = isTTY;
      vi.unstubAllEnvs();
    }
  });

  it('marks what it means behind signs of two cells and of none', async () => {
    const root = cli.tree('wide', { 'a.cpp': faulty.replace('close(fd);', '/* 寸 😀 e\u0301 */ close(fd);') });
    expect((await cli.run(root)).out).toContain(`    /* 寸 😀 e\u0301 */ close(fd);\n    |     ${' '.repeat('/* .. .. e */ '.length)}^^^^^^^^^\n`);
  });

  it.each([
    ['1', true],
    ['0', false],
    ['false', false],
  ])('FORCE_COLOR=%s has the last word', async (force, isColoured) => {
    const root = cli.tree('colour', { 'a.cpp': faulty });
    vi.stubEnv('FORCE_COLOR', force);
    vi.stubEnv('NO_COLOR', '1');
    expect((await cli.run(root)).out.includes('\u001b[31merror')).toBe(isColoured);
    vi.unstubAllEnvs();
  });
});
