/** Sources that are open, each shared by its views and closed with the last of them. */
import path from 'node:path';
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
  id: string;
  native: Promise<NativeSource>;
  users: number;
}

/** What the ids of watched files begin with; the pattern follows. */
const FILES = 'files:';

const SCENE_AT_REST: SourceDescription = { id: 'scene', label: 'Built-in scene', kind: 'scene', device: 'not started', outputs: [] };

/** Sources that are there without being opened: the programs that publish. */
export interface PublishedSources {
  list(): SourceDescription[];
  open(id: string): NativeSource;
}

export class Sources {
  readonly #entries = new Map<string, Entry>();
  readonly #open = new Map<NativeSource, Entry>();
  readonly #closing = new Set<Promise<void>>();
  readonly #addon: NativeAddon;
  readonly #published: PublishedSources;

  constructor(addon: NativeAddon, published: PublishedSources) {
    this.#addon = addon;
    this.#published = published;
  }

  list(): SourceDescription[] {
    const running = [...this.#open].find(([, { id }]) => id === 'scene');
    const files = [...this.#open].filter(([, { id }]) => id.startsWith(FILES)).map(([source]) => describe(source));
    return [running ? describe(running[0]) : SCENE_AT_REST, ...this.#published.list(), ...files];
  }

  async open(id: string, options: SceneOptions): Promise<OpenSource> {
    const key = id === 'scene' ? JSON.stringify(options) : id;
    const entry = this.#entries.get(key) ?? this.#start(key, id, options);
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
    return [...this.#open.keys()].reduce((sum, source) => sum + source.gpuMemoryBytes(), 0);
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

  #start(key: string, id: string, options: SceneOptions): Entry {
    const native = this.#openNative(id, options);
    const entry = { id, native, users: 0 };
    this.#entries.set(key, entry);
    native.then((source) => this.#open.set(source, entry)).catch(() => this.#entries.delete(key));
    return entry;
  }

  async #openNative(id: string, options: SceneOptions): Promise<NativeSource> {
    if (id === 'scene') return this.#addon.openScene(options);
    if (id.startsWith('pub:')) return this.#published.open(id);
    if (id.startsWith(FILES)) return this.#openFiles(id.slice(FILES.length));
    throw new UserError(`There is no source "${id}".`, 'Choose one of the sources that are listed.', EngineErrorCode.invalidParams);
  }

  async #openFiles(pattern: string): Promise<NativeSource> {
    if (!path.isAbsolute(pattern))
      throw new UserError(`"${pattern}" is no absolute path of files to watch.`, 'Give a folder, or a path with * in its last part.');
    if (!this.#addon.openFiles) throw new UserError('This native addon cannot watch files.', 'Install Seamscope again.');
    return this.#addon.openFiles({ pattern });
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
