import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { probeDrivers } from '../../../helper/engine/probe-without-cuda';

const dir = mkdtempSync(path.join(tmpdir(), 'seamscope-without-cuda-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const snapshot = {
  version: 1,
  vulkan: { available: true, devices: [{ name: 'a GPU' }] },
  cuda: { available: false, devices: [] },
};

/** A probe whose driver misbehaves as `source` says; `withCuda` tells whether it may touch CUDA. */
function probe(name: string, source: string) {
  const script = path.join(dir, `${name}.cjs`);
  const prelude = `const withCuda = process.argv[3] !== '--without-cuda';
    const answer = () => { require('node:fs').writeFileSync(3, ${JSON.stringify(JSON.stringify(snapshot))}); require('node:fs').closeSync(3); };
    const crash = () => { process.kill(process.pid, 'SIGSEGV'); setInterval(() => {}, 1000); };`;
  writeFileSync(script, `${prelude}\n${source}`);
  return probeDrivers({ script, addonPath: script, env: process.env, timeoutMs: 3000 });
}

it.each([
  ['crashes', 'if (withCuda) crash(); else answer();', /The CUDA driver failed: .*ended by SIGSEGV/],
  ['hangs', 'while (withCuda); answer();', /The CUDA driver failed: .*did not end within 3 s/],
])('a CUDA driver that %s leaves the Vulkan list as it is', async (name, source, message) => {
  expect(await probe(name, source)).toEqual({
    snapshot: {
      ...snapshot,
      cuda: { ...snapshot.cuda, reason: expect.objectContaining({ code: 'probe-failed', message: expect.stringMatching(message) }) },
    },
  });
});

it('another driver that crashes is what the first probe says', async () => {
  expect(await probe('other', 'crash();')).toMatchObject({ reason: { message: expect.stringMatching(/^The device probe was ended by SIGSEGV/) } });
});

it('a probe that works is taken as it is', async () => {
  expect(await probe('fine', 'answer();')).toEqual({ snapshot });
});
