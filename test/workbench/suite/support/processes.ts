import { readdirSync, readFileSync } from 'node:fs';

/** Children of this extension host whose command line holds `part`. Linux only. */
export function childProcesses(part: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isChild(pid) && read(pid, 'cmdline').includes(part));
}

function isChild(pid: number): boolean {
  // The name in parentheses may hold anything, so the fields count from the last parenthesis.
  const [, parent] = read(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return Number(parent) === process.pid;
}

/** Empty when the process is gone. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
