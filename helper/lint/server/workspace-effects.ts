// Keeps the effects of the functions of the workspace: of open documents by their text, of all other files by what the background thread
// reads. Whoever may be told something else because of a change is told to look again.
import path from 'node:path';
import type { FileEffects } from '../effects/file-effects';
import { EffectIndex } from '../effects/index';
import type { Finding } from '../engine';
import { Background } from './background/background';
import type { FromBackground } from './background/messages';
import { isSearched } from './files';

/** Answers of a scan come in a stream; documents are looked at again when it pauses. */
const settleMs = 150;

/** A check of the workspace hears nothing for so long and ends. */
const silentMs = 120_000;

export interface CheckListener {
  progress(file: string, done: number, total: number): void;
  found(file: string, findings: readonly Finding[]): void;
  /** Calls back when the check is not wanted any more. */
  onCancelled(cancel: () => void): void;
}

interface Check {
  readonly id: number;
  readonly listener: CheckListener;
  readonly end: (notes: readonly string[]) => void;
  timer: NodeJS.Timeout | undefined;
  /** The file that is looked at. */
  file: string;
}

export class WorkspaceEffects {
  readonly index = new EffectIndex();
  readonly #open = new Set<string>();
  readonly #background: Background;
  #folders: readonly string[] = [];
  #begun = false;
  #names = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #told = false;
  #checks = 0;
  #check: Check | undefined;

  /**
   * @param dir the folder of the bundles
   * @param changed gets the names of functions of which something else is known now
   */
  constructor(
    dir: string,
    private readonly changed: (names: ReadonlySet<string>) => void,
    private readonly log: (text: string) => void,
  ) {
    const state = () => ({ effects: [...this.index.files], open: [...this.#open] });
    this.#background = new Background(
      dir,
      state,
      (message) => this.#take(message),
      log,
      (why) => this.#check?.end([why]),
    );
  }

  /** The folders of the workspace now. They are read when the first document has been looked at. */
  setFolders(folders: readonly string[]): void {
    const fresh = folders.filter((folder) => !this.#folders.includes(folder));
    this.#folders = folders;
    if (this.#begun && fresh.length > 0) this.#background.post({ kind: 'scan', folders: fresh });
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    if (this.#folders.length > 0) this.#background.post({ kind: 'scan', folders: this.#folders });
  }

  /** The text of an open document has these effects now. */
  setOpen(file: string, effects: FileEffects | undefined): void {
    this.#open.add(file);
    const names = this.index.set(file, effects);
    // A thread that sleeps is woken only when files depend on it that nobody has open.
    const concernsOthers = names.size > 0 && this.index.callersOf(names).some((caller) => !this.#open.has(caller));
    if (this.#background.isRunning || concernsOthers) this.#background.post({ kind: 'open', file, effects });
    this.#note(names);
    this.#begin();
  }

  /** What is on disk counts again. */
  close(file: string): void {
    if (this.#open.delete(file) && this.#begun) this.#background.post({ kind: 'changed', files: [file] });
  }

  changedOnDisk(files: readonly string[]): void {
    const closed = files.filter((file) => !this.#open.has(file) && this.#isOurs(file));
    if (this.#begun && closed.length > 0) this.#background.post({ kind: 'changed', files: closed });
  }

  #isOurs(file: string): boolean {
    return this.#folders.some((folder) => file.startsWith(folder + path.sep) && isSearched(path.relative(folder, file)));
  }

  /** Configuration or headers may have changed. */
  forget(): void {
    if (!this.#begun || this.#folders.length === 0) return;
    this.#background.post({ kind: 'forget' });
    this.#background.post({ kind: 'scan', folders: this.#folders });
  }

  /**
   * Lints all files of the workspace but the open ones. One check at a time: a new one ends the one before.
   * @returns what could not be checked, in sentences
   */
  async check(listener: CheckListener): Promise<readonly string[]> {
    this.#check?.end(['Another check has begun.']);
    const id = ++this.#checks;
    this.#begin();
    return await new Promise((resolve) => {
      const end = (notes: readonly string[]) => {
        if (this.#check?.id !== id) return;
        clearTimeout(this.#check.timer);
        this.#check = undefined;
        resolve(notes);
      };
      this.#check = { id, listener, end, timer: undefined, file: '' };
      this.#watch();
      this.#background.post({ kind: 'check', id, folders: this.#folders });
      if (!this.#background.isRunning) end(['The files cannot be checked: the background thread does not start.']);
      listener.onCancelled(() => {
        this.#background.post({ kind: 'cancel', id });
        end([]);
      });
    });
  }

  /** A file that keeps the thread busy for too long ends the check, and the thread. */
  #watch(): void {
    const check = this.#check;
    if (!check) return;
    clearTimeout(check.timer);
    check.timer = setTimeout(() => {
      this.#background.kill();
      check.end([
        `The check ended at ${check.file || 'its beginning'}: nothing came for ${silentMs / 1000} s. Add the file to "ignore" in seamscope.json.`,
      ]);
    }, silentMs);
  }

  #takeOfCheck(message: FromBackground): void {
    const check = this.#check;
    if (!check || !('id' in message) || message.id !== check.id) return;
    this.#watch();
    if (message.kind === 'checking') {
      check.file = message.file;
      check.listener.progress(message.file, message.done, message.total);
    } else if (message.kind === 'checked') {
      if (!this.#open.has(message.file)) check.listener.found(message.file, message.findings);
    } else check.end(message.notes);
  }

  #take(message: FromBackground): void {
    if (message.kind === 'effects') {
      this.#watch();
      if (!this.#open.has(message.file)) this.#note(this.index.set(message.file, message.effects));
    } else if (message.kind !== 'idle') this.#takeOfCheck(message);
    else if (message.left > 0 && !this.#told) {
      this.#told = true;
      this.log(`The workspace is large: ${message.left} source files were not read. What their functions do is not known in other files.`);
    }
  }

  #note(names: ReadonlySet<string>): void {
    if (names.size === 0) return;
    for (const name of names) this.#names.add(name);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const all = this.#names;
      this.#names = new Set();
      this.changed(all);
    }, settleMs);
  }
}
