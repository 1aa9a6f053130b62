import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bundleEngine, childProcesses, clientOf, STAND_IN } from '../engine/harness';

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const bundle = bundleEngine();
const cli = path.join(bundle, 'cli.js');

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

async function seamscope(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { ...process.env, SEAMSCOPE_ADDON: STAND_IN, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes) => (stdout += bytes));
  child.stderr.on('data', (bytes) => (stderr += bytes));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

afterEach(() => {
  expect(childProcesses(bundle)).toEqual([]);
});

describe('seamscope', () => {
  it.each([
    [['--help'], /^Usage: seamscope COMMAND/],
    [[], /^Usage: seamscope COMMAND/],
    [['--version'], /^seamscope \d+\.\d+\.\d+ \(protocol 1\)\n$/],
  ])('%j prints and exits 0', async (args, text) => {
    expect(await seamscope(args)).toMatchObject({ code: 0, stdout: expect.stringMatching(text), stderr: '' });
  });

  it.each([
    [['dveices'], /There is no command "dveices"\. Did you mean devices\? Try "seamscope --help"\./],
    [['toString'], /There is no command "toString"/],
    [['devices', '--jsno'], /Unknown option --jsno\. Did you mean --json\? Try "seamscope devices --help"/],
    [['engine', '--stdio', '--connect', 'x'], /--stdio and --connect exclude each other/],
    [['preview', '--frames', '-1'], /--frames needs a value; one that begins with "-" is written --frames=VALUE\. Try "seamscope preview --help"/],
    [
      ['preview', '--output', 'nothing'],
      /^seamscope: --output must be one of color, broken, depth, not "nothing"\.\n {2}Next step: See "seamscope preview --help"\./,
    ],
    [['preview', '--device', 'none'], /There is no such device\.\n {2}Next step: Choose another one\./],
    [['preview', '--output', 'broken', '--frames', '9'], /The device was lost\.\n {2}Next step: Run the command again with SEAMSCOPE_LOG=1/],
  ])('%j exits 2 with the cause and the next step', async (args, text) => {
    const { code, stdout, stderr } = await seamscope(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(text);
    expect(stderr).not.toMatch(/ {4}at /);
  });

  it('devices --json prints the snapshot and exits 0', async () => {
    const { code, stdout } = await seamscope(['devices', '--json']);
    expect([code, JSON.parse(stdout).version]).toEqual([0, 1]);
  });

  it('devices without an addon says what was tried and exits 2', async () => {
    const { code, stdout } = await seamscope(['devices', '--json'], { SEAMSCOPE_ADDON: '/nonexistent/seamscope.node' });
    expect(code).toBe(2);
    expect(JSON.parse(stdout).vulkan.reason).toMatchObject({
      code: 'addon-missing',
      message: expect.stringContaining('/nonexistent/seamscope.node does not exist'),
    });
  });

  it('doctor without an addon finds the problem and exits 1', async () => {
    const { code, stdout } = await seamscope(['doctor'], { SEAMSCOPE_ADDON: '/nonexistent/seamscope.node' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^PROBLEM {2}Native addon: .*does not exist.*\n {9}Next step: /);
    expect(stdout).toMatch(/\d+ checks: \d+ problems?, \d+ warnings?, \d+ could not be asked\.\n$/);
  });

  it('preview counts, measures and saves', async () => {
    const out = path.join(bundle, 'shot.png');
    const { code, stdout } = await seamscope(['preview', '--source', 'scene', '--output', 'color', '--frames', '5', '--out', out, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      frames: 5,
      picture: { width: 960, height: 540 },
      saved: { file: out, bytes: 7, content: 'texels' },
    });
    expect(existsSync(out)).toBe(true);
  });

  it('preview saves the picture of an output that PNG cannot hold', async () => {
    const out = path.join(bundle, 'depth.png');
    const { stdout } = await seamscope(['preview', '--output', 'depth', '--frames', '3', '--out', out, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ frames: 3, saved: { file: out, bytes: 64 * 32 * 4, content: 'picture' } });
    const { code, stderr } = await seamscope(['preview', '--output', 'depth', '--frames', '1', '--out', path.join(bundle, 'absent', 'depth.png')]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/depth\.png cannot be written: the folder .*absent does not exist\.\n {2}Next step: Choose another file with --out/),
    ]);
  });

  it('preview reports an engine that crashes', async () => {
    const { code, stderr } = await seamscope(['preview', '--frames', '5'], { SEAMSCOPE_STAND_IN: '{"crashAfter":2,"noise":"driver: oops\\n"}' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/ended by SIGSEGV\. driver: oops/);
  });

  it.each(['preview', 'lint', 'seamtest', 'devices', 'doctor', 'engine'])('%s --help prints what is said of it alone', async (name) => {
    const { code, stdout } = await seamscope([name, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: seamscope ${name}\\s`));
    expect(stdout.split('\n').filter((line) => /^ {2}\S/.test(line) && !line.startsWith(`  ${name} `))).toEqual([]);
  });

  it.each([
    ['doctor', true],
    ['devices', true],
    ['seamtest', false],
  ])('%s --help explains --env: %s', async (name, explained) => {
    const { stdout } = await seamscope([name, '--help']);
    expect(/--env NAME {2,}NAME is taken out.*after the first "="/s.test(stdout)).toBe(explained);
  });

  it('preview ends with 130 after Ctrl+C and leaves nothing behind', async () => {
    const child = spawn(process.execPath, [cli, 'preview', '--frames', '1000000'], { env: { ...process.env, SEAMSCOPE_ADDON: STAND_IN } });
    await vi.waitFor(() => expect(childProcesses(bundle).length).toBeGreaterThan(1), { timeout: 20_000 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
  });

  it('says when its output cannot be written', async () => {
    const child = spawn('sh', ['-c', `"${process.execPath}" "${cli}" --help > /dev/full`]);
    let stderr = '';
    child.stderr.on('data', (bytes) => (stderr += bytes));
    expect(await once(child, 'close')).toEqual([2, null]);
    expect(stderr).toBe('seamscope: The output cannot be written (ENOSPC).\n');
  });

  it.each([
    ['--out', ['preview', '--out', '/nonexistent/a.png']],
    ['--markdown', ['seamtest', '--markdown', '/nonexistent/a.md']],
  ])('%s is looked at before the work begins', async (option, args) => {
    // No engine would start: were it tried, the error would be another one.
    const { code, stderr } = await seamscope(args, { SEAMSCOPE_ADDON: '/nonexistent/seamscope.node' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot be written: the folder \/nonexistent does not exist\./);
    expect(stderr).toContain(`Choose another file with ${option}.`);
  });

  it('ends quietly when its reader goes away', async () => {
    const child = spawn('sh', ['-c', `"${process.execPath}" "${cli}" devices --json | true; echo "code $?"`], {
      env: { ...process.env, SEAMSCOPE_ADDON: STAND_IN },
    });
    let stderr = '';
    child.stderr.on('data', (bytes) => (stderr += bytes));
    await once(child, 'close');
    expect(stderr).toBe('');
  });

  it('keeps its exit code when its reader goes away', async () => {
    const child = spawn('bash', ['-c', `"${process.execPath}" "${cli}" doctor | true; echo "\${PIPESTATUS[0]}"`], {
      env: { ...process.env, SEAMSCOPE_ADDON: '/nonexistent/seamscope.node' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
    await once(child, 'close');
    expect(output).toBe('1\n');
  });

  it('names on a terminal are shown, not obeyed', async () => {
    const { code, stderr } = await seamscope(['preview', '--out', '/nonexistent/\x1b[31m\u202e.png']);
    expect(code).toBe(2);
    expect(stderr).toContain('/nonexistent/\\x1b[31m\\u202e.png cannot be written');
  });

  it('engine --stdio serves a client behind any command', async () => {
    const launch = {
      command: 'sh',
      args: ['-c', `echo banner; exec "${process.execPath}" "${cli}" engine --stdio`],
      env: { ...process.env, SEAMSCOPE_ADDON: STAND_IN },
    };
    const client = clientOf(bundle, {}, { launch });
    expect(await client.start()).toMatchObject({ addonPath: STAND_IN });
    expect(await client.request('devices/snapshot', {})).toMatchObject({ version: 1 });
    await client.dispose();
  });
});
