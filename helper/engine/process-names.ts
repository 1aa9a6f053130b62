/** The commands behind process ids. NVML's ids may be of another namespace: then no name is better than a wrong one. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { GpuProcess } from '../protocol/device-readings';

const MAX_REMEMBERED = 512;

export class ProcessNames {
  readonly #proc: string;
  /** By process id and start time, so that a reused id is asked again. */
  readonly #known = new Map<string, string | null>();

  constructor(proc = '/proc') {
    this.#proc = proc;
  }

  add(processes: GpuProcess[]): void {
    for (const process of processes) {
      const name = this.#nameOf(process.pid);
      if (name) process.name = name;
    }
  }

  #nameOf(pid: number): string | null {
    const stat = read(`${this.#proc}/${pid}/stat`);
    const [, name, started] = /^\d+ \((.*)\) (?:\S+ ){19}(\d+)/s.exec(stat) ?? [];
    if (!name) return null;
    const key = `${pid} ${started}`;
    if (!this.#known.has(key)) {
      if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
      this.#known.set(key, this.#holdsGpu(pid) ? name : null);
    }
    return this.#known.get(key) ?? null;
  }

  /** The process of this id in this namespace really has the driver open; of other users' processes nobody may know, so they are believed. */
  #holdsGpu(pid: number): boolean {
    try {
      const fds = readdirSync(`${this.#proc}/${pid}/fd`);
      return fds.some((fd) => /^\/dev\/(nvidia|dxg)/.test(link(`${this.#proc}/${pid}/fd/${fd}`)));
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EACCES';
    }
  }
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
