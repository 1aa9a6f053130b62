/** Finds the files to lint below the paths of the command line. */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { languageOf } from '../engine';

const skipped = /^(\.git|\.hg|\.svn|node_modules|build|out|dist|cmake-build-.*|__pycache__|\.venv|venv|\.tox|\.cache|\.vscode-test|bazel-.*)$/;

/** A path below a folder that is searched when the folder is. */
export function isSearched(relative: string): boolean {
  return !relative.split(path.sep).some((part) => skipped.test(part));
}

export interface FoundFile {
  readonly file: string;
  readonly size: number;
  /** The command line names the file itself, not a folder above it. */
  readonly isNamed: boolean;
}

/** A path that is not checked. */
export interface LeftOut {
  readonly file: string;
  /** Half a sentence. */
  readonly reason: string;
  readonly why: 'unreadable' | 'language' | 'ignored';
  readonly isNamed: boolean;
}

/** Walks folders in order of name. `leaveOut` gets what could not be read. Throws nothing but for paths that do not exist. */
export class FileFinder {
  readonly #seen = new Set<string>();

  constructor(private readonly leaveOut: (what: LeftOut) => void) {}

  /** Files below `given`; the path itself may be a file of any supported language. Undefined when it does not exist. */
  async find(given: string): Promise<FoundFile[] | undefined> {
    const info = await stat(given).catch(() => undefined);
    if (!info) return undefined;
    if (info.isDirectory()) return await this.#folder(given, true);
    const refuse = (why: LeftOut['why'], reason: string) => this.leaveOut({ file: given, reason, why, isNamed: true });
    if (!info.isFile()) refuse('unreadable', 'it is neither a file nor a folder');
    else if (!languageOf(given)) refuse('language', 'it is in none of the languages C, C++, CUDA, Objective-C++ or Python');
    else return await this.#once({ file: given, size: info.size, isNamed: true });
    return [];
  }

  /** A file or folder that was reached on another way already, by a link or a second argument, is not visited again. */
  async #isNew(place: string): Promise<boolean> {
    const real = await realpath(place).catch(() => place);
    if (this.#seen.has(real)) return false;
    this.#seen.add(real);
    return true;
  }

  async #once(found: FoundFile): Promise<FoundFile[]> {
    return (await this.#isNew(found.file)) ? [found] : [];
  }

  async #folder(folder: string, isNamed: boolean): Promise<FoundFile[]> {
    if (!(await this.#isNew(folder))) return [];
    let entries: Dirent[];
    try {
      entries = await readdir(folder, { withFileTypes: true });
    } catch (error) {
      const reason = `the folder cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
      this.leaveOut({ file: folder, reason, why: 'unreadable', isNamed });
      return [];
    }
    const found: FoundFile[] = [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) found.push(...(await this.#entry(folder, entry)));
    return found;
  }

  async #entry(folder: string, entry: Dirent): Promise<FoundFile[]> {
    if (skipped.test(entry.name)) return [];
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) return await this.#folder(place, false);
    const isLink = entry.isSymbolicLink();
    if (!isLink && !(entry.isFile() && languageOf(entry.name))) return [];
    const info = await stat(place).catch(() => undefined);
    if (!info) return [];
    if (info.isDirectory()) return await this.#folder(place, false);
    return info.isFile() && languageOf(entry.name) ? await this.#once({ file: place, size: info.size, isNamed: false }) : [];
  }
}
