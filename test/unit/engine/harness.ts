/** Real engine processes for tests: bundled once a test file, run with a stand-in or the real addon. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll } from 'vitest';
import { EngineClient, type EngineClientOptions, localEngine } from '../../../helper/engine/client';
import type { ViewParams } from '../../../helper/protocol/frames';

const root = path.resolve(import.meta.dirname, '../../..');
export const STAND_IN = path.join(import.meta.dirname, 'doubles/stand-in-addon.cjs');

/** A bundle of the engine, its probe and the command line in a folder that is removed after the file's tests. */
export function bundleEngine(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'seamscope-engine-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const entryPoints = {
    engine: path.join(root, 'helper/engine/main.ts'),
    probe: path.join(root, 'helper/engine/probe.ts'),
    cli: path.join(root, 'helper/cli/main.ts'),
  };
  buildSync({ bundle: true, platform: 'node', format: 'cjs', target: 'node20', entryPoints, outdir: dir, logLevel: 'error', external: ['./lint'] });
  return dir;
}

/** The addon of this source tree, when it has been built. */
export function realAddon(): string | null {
  const built = process.env.SEAMSCOPE_ADDON ?? path.join(root, 'build/native/Release/seamscope.node');
  return existsSync(built) ? built : null;
}

export interface StandInOptions {
  protocolVersion?: number;
  pictureBytes?: number;
  hangOnClose?: boolean;
  /** The process dies by SIGSEGV when it draws this picture. */
  crashAfter?: number;
  noise?: string;
  /** Readings of NVML never come back. */
  nvmlHangs?: boolean;
}

export function clientOf(bundle: string, standIn: StandInOptions = {}, options: Partial<EngineClientOptions> = {}): EngineClient {
  const env = { ...process.env, SEAMSCOPE_ADDON: STAND_IN, SEAMSCOPE_STAND_IN: JSON.stringify(standIn) };
  return new EngineClient({ name: 'test', launch: localEngine(path.join(bundle, 'engine.js'), env), ...options });
}

export const VIEW: ViewParams = {
  output: 'color',
  width: 64,
  height: 32,
  rect: { x: 0, y: 0, width: 64, height: 32 },
  exposure: 0,
  gamma: 1,
  toneMap: 'none',
  falseColor: 'none',
  range: null,
  channelMask: 15,
  flipY: false,
  swapRb: false,
  overlayNan: true,
  overlayClip: false,
  encoding: 'rgba',
  jpegQuality: 80,
  maxRate: 60,
};

/** Descendants of this process by command line. */
export function childProcesses(marker: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => commandLine(pid).includes(marker));
}

export function isAlive(pid: number): boolean {
  const state = /^\d+ \(.*\) (\S)/s.exec(readProc(pid, 'stat'))?.[1];
  return state !== undefined && state !== 'Z';
}

export function fdCount(pid: number | 'self' = 'self'): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function commandLine(pid: number): string {
  return readProc(pid, 'cmdline').replaceAll('\0', ' ');
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
