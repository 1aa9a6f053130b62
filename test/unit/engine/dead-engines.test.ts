import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeDeadEngines } from '../../../helper/engine/hub-engine';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'seamscope-dead-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A socket whose process has ended without removing it. */
function leftBehind(name: string): void {
  const file = JSON.stringify(path.join(folder, name));
  const { signal } = spawnSync(process.execPath, ['-e', `require('net').createServer().listen(${file}, () => process.kill(process.pid, 9))`]);
  expect(signal).toBe('SIGKILL');
}

it('removes the sockets of engines that are gone, and nothing else', async () => {
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  leftBehind(`${gone}.engine`);
  leftBehind('window-1.engine');
  leftBehind(`${process.pid}.engine`);
  writeFileSync(path.join(folder, `${gone}.sock.engine`), '');
  const server = net.createServer().listen(path.join(folder, `${gone}.other`));
  await new Promise((resolve) => server.once('listening', resolve));
  removeDeadEngines(folder);
  expect(readdirSync(folder).sort()).toEqual([`${gone}.other`, `${gone}.sock.engine`, `${process.pid}.engine`, 'window-1.engine'].sort());
  server.close();
});

it('has nothing to do where there is no folder', () => {
  expect(() => removeDeadEngines(path.join(folder, 'none'))).not.toThrow();
});
