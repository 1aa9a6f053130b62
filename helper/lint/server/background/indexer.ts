// Reads the source files of a workspace and works out the effects of their functions, as often as those of other files change them.
import path from 'node:path';
import { type FileEffects, opaqueEffects } from '../../effects/file-effects';
import { EffectIndex } from '../../effects/index';
import { effectsOf, factsOf, languageOf } from '../../engine';
import type { Grammars } from '../../syntax/grammars';
import { FileFinder } from '../files';
import { SourceFiles } from '../source-files';
import { checkFolders } from './check';
import type { FromBackground, ToBackground } from './messages';

/** More source files than this, and more that name something of the seam, are left out. */
const maxFiles = 30_000;
const maxSeamFiles = 3000;
/** Files that change each other's effects in a circle end after so many rounds. */
const maxRounds = 8;

export class Indexer {
  readonly index = new EffectIndex();
  readonly #sources = new SourceFiles();
  readonly #open = new Set<string>();
  /** By file: how often its effects were worked out since it was read last. */
  readonly #queue = new Map<string, number>();
  /** Files that name nothing of the seam. */
  readonly #others = new Set<string>();
  #names: ReadonlySet<string> = new Set();
  #seamFiles = 0;
  #left = 0;
  #running = false;
  /** Folders that are searched for files. */
  #scans = 0;
  readonly #cancelled = new Set<number>();
  /** That wait or run. */
  #checks = 0;

  constructor(
    private readonly grammars: Promise<Grammars>,
    private readonly tell: (message: FromBackground) => void,
  ) {}

  async take(message: ToBackground): Promise<void> {
    switch (message.kind) {
      case 'scan':
        this.#scans++;
        for (const file of this.#find(message.folders)) this.#queue.set(file, 0);
        this.#scans--;
        break;
      case 'changed':
        // A header's annotations are part of what its includers know.
        this.#sources.forget();
        for (const file of message.files) {
          this.#open.delete(file);
          this.#queue.set(file, 0);
        }
        break;
      case 'open':
        this.setOpen(message.file, message.effects);
        break;
      case 'forget':
        this.#sources.forget();
        break;
      case 'check':
        return await this.#check(message);
      case 'cancel':
        this.#cancelled.add(message.id);
        return;
    }
    await this.#work();
  }

  /** Effects first: what waits to be read when the check begins is read, also what a thread that has just started was told of. */
  async #check({ id, folders }: ToBackground & { kind: 'check' }): Promise<void> {
    this.#checks++;
    while (this.#running || this.#scans > 0 || this.#queue.size > 0) {
      await this.#work();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    this.#running = true;
    try {
      const { index } = this;
      const grammars = await this.grammars;
      await checkFolders({ id, folders, index, grammars, tell: this.tell, isCancelled: () => this.#cancelled.has(id) });
    } finally {
      this.#running = false;
      this.#checks--;
      this.#cancelled.delete(id);
    }
    await this.#work();
  }

  setOpen(file: string, effects: FileEffects | undefined): void {
    this.#open.add(file);
    this.#queue.delete(file);
    this.#changed(this.index.set(file, effects), 0);
  }

  #find(folders: readonly string[]): string[] {
    const finder = new FileFinder(() => undefined);
    const found: string[] = [];
    for (const folder of folders) {
      for (const { file } of finder.find(folder) ?? []) {
        const absolute = path.resolve(file);
        if (!this.#open.has(absolute)) found.push(absolute);
      }
    }
    this.#left += Math.max(0, found.length - maxFiles);
    return found.slice(0, maxFiles);
  }

  async #work(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      for (;;) {
        for (const [file, round] of this.#queue) {
          this.#queue.delete(file);
          await this.#look(file, round);
          // Lets messages in.
          await new Promise((resolve) => setImmediate(resolve));
        }
        if (!this.#lookAtOthers() && this.#queue.size === 0) break;
      }
    } finally {
      this.#running = false;
    }
    if (this.#checks === 0) this.tell({ kind: 'idle', left: this.#left });
  }

  async #look(file: string, round: number): Promise<void> {
    const language = languageOf(file);
    if (this.#open.has(file) || !language) return;
    const source = await this.#sources.read(file);
    this.#others.delete(file);
    if ('refused' in source || source.config?.ignores(file)) return this.#set(file, undefined, round);
    if (!source.touchesSeam) {
      this.#others.add(file);
      return this.#set(
        file,
        opaqueEffects(source.text, language, (name) => this.#names.has(name)),
        round,
      );
    }
    if (!this.index.files.has(file) && ++this.#seamFiles > maxSeamFiles) {
      this.#left++;
      return;
    }
    const grammars = await this.grammars;
    const parser = { parse: (grammar: 'cuda' | 'python', _arm: number, view: string) => grammars.parse(grammar, view) };
    const { facts } = factsOf(file, source.text, parser, { extra: source.extra, elsewhere: this.index });
    this.#set(file, this.#open.has(file) ? undefined : effectsOf(facts), round);
  }

  #set(file: string, effects: FileEffects | undefined, round: number): void {
    if (this.#open.has(file)) return;
    const isKnown = this.index.files.has(file);
    const changed = this.index.set(file, effects);
    if (effects || isKnown) this.tell({ kind: 'effects', file, effects });
    this.#changed(changed, round);
  }

  #changed(names: ReadonlySet<string>, round: number): void {
    if (round >= maxRounds) return;
    for (const file of this.index.callersOf(names)) if (!this.#open.has(file) && !this.#queue.has(file)) this.#queue.set(file, round + 1);
  }

  /** Functions that have effects may have namesakes in files that name nothing of the seam. True when there was anything to look at. */
  #lookAtOthers(): boolean {
    const { names } = this.index;
    const isMore = [...names].some((name) => !this.#names.has(name));
    this.#names = names;
    if (isMore) for (const file of this.#others) this.#queue.set(file, 0);
    return isMore;
  }
}
