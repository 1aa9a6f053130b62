import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ProcessNames } from '../../../helper/engine/process-names';
import type { GpuProcess } from '../../../helper/protocol/device-readings';

const proc = mkdtempSync(path.join(tmpdir(), 'seamscope-proc-'));
afterAll(() => rmSync(proc, { recursive: true, force: true }));

function process(pid: number, name: string, started: number, opened: string[]): void {
  const folder = path.join(proc, String(pid));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, 'fd'), { recursive: true });
  const zeros = (count: number) => Array.from({ length: count }, () => '0').join(' ');
  writeFileSync(path.join(folder, 'stat'), `${pid} (${name}) S ${zeros(18)} ${started} ${zeros(5)}\n`);
  for (const [fd, target] of opened.entries()) symlinkSync(target, path.join(folder, 'fd', String(fd)));
}

describe('names of processes', () => {
  const names = new ProcessNames(proc);
  const nameOf = (pid: number) => {
    const entry: GpuProcess = { pid, kinds: ['compute'] };
    names.add([entry]);
    return entry.name;
  };
  process(7, 'my (odd) render', 100, ['/dev/null', '/dev/nvidia0']);
  process(8, 'bystander', 100, ['/dev/null']);

  it('are those of processes that have the driver open', () => {
    expect(nameOf(7)).toBe('my (odd) render');
  });

  it('are left out where the id belongs to another namespace or to nobody', () => {
    expect(nameOf(8)).toBeUndefined();
    expect(nameOf(9)).toBeUndefined();
  });

  it('follow an id that is used again', () => {
    process(7, 'another', 200, ['/dev/nvidiactl']);
    expect(nameOf(7)).toBe('another');
  });
});
