/** Sources that are open, each shared by its views and closed with the last of them. */
import type { NativeAddon, NativeSource } from '../protocol/addon';
import { EngineErrorCode } from '../protocol/errors';
import type { SourceDescription } from '../protocol/frames';
import { UserError } from './user-error';
import { checkInteger } from './validate';

export interface SceneOptions {
  device: string;
  width: number;
  height: number;
}

export interface OpenSource {
  native: NativeSource;
  describe(): SourceDescription;
  /** To be called once by everybody who opened it. */
  release(): Promise<void>;
}

interface Entry {
  native: Promise<NativeSource>;
  users: number;
}

const SCENE_AT_REST: SourceDescription = { id: 'scene', label: 'Built-in scene', kind: 'scene', device: 'not started', outputs: [] };

export class Sources {
  readonly #entries = new Map<string, Entry>();
  readonly #open = new Set<NativeSource>();
  readonly #closing = new Set<Promise<void>>();
  readonly #addon: NativeAddon;

  constructor(addon: NativeAddon) {
    this.#addon = addon;
  }

  list(): SourceDescription[] {
    const [running] = this.#open;
    return [running ? describe(running) : SCENE_AT_REST];
  }

  async open(id: string, options: SceneOptions): Promise<OpenSource> {
    if (id !== 'scene')
      throw new UserError(`There is no source "${id}".`, 'Ask "sources/list" for the sources that exist.', EngineErrorCode.invalidParams);
    const key = JSON.stringify(options);
    const entry = this.#entries.get(key) ?? this.#start(key, options);
    entry.users++;
    try {
      const native = await entry.native;
      return { native, describe: () => describe(native), release: once(() => this.#release(key, entry)) };
    } catch (error) {
      await this.#release(key, entry);
      throw error;
    }
  }

  gpuMemoryBytes(): number {
    return [...this.#open].reduce((sum, source) => sum + source.gpuMemoryBytes(), 0);
  }

  /** Host memory that kept frames and references hold. */
  historyBytes(): number {
    return this.#addon.historyBytes?.() ?? 0;
  }

  setHistoryBudget(bytes: number): null {
    this.#addon.setHistoryBudget?.(checkInteger('bytes', bytes, 0, Number.MAX_SAFE_INTEGER));
    return null;
  }

  /** When nothing is being opened or closed any more. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#closing, ...[...this.#entries.values()].map((entry) => entry.native)]);
    await Promise.allSettled(this.#closing);
  }

  #start(key: string, options: SceneOptions): Entry {
    const native = this.#addon.openScene(options);
    const entry = { native, users: 0 };
    this.#entries.set(key, entry);
    native.then((source) => this.#open.add(source)).catch(() => this.#entries.delete(key));
    return entry;
  }

  async #release(key: string, entry: Entry): Promise<void> {
    if (--entry.users > 0) return;
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    const native = await entry.native.catch(() => null);
    if (!native) return;
    this.#open.delete(native);
    const closing = native.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    await closing;
  }
}

function describe(source: NativeSource): SourceDescription {
  return JSON.parse(source.describe()) as SourceDescription;
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => {
    done ??= action();
    return done;
  };
}
