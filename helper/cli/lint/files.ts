/** Finds the files to lint below the paths of the command line. */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { languageOf } from '../../lint/engine';

const skipped = /^(\.git|\.hg|\.svn|node_modules|build|out|dist|cmake-build-.*|__pycache__|\.venv|venv|\.tox|\.cache|\.vscode-test|bazel-.*)$/;

export interface FoundFile {
  readonly file: string;
  readonly size: number;
}

/** Walks folders in order of name. `note` gets what could not be read, in words. Throws nothing but for paths that do not exist. */
export class FileFinder {
  readonly #seen = new Set<string>();

  constructor(private readonly note: (text: string) => void) {}

  /** Files below `given`; the path itself may be a file of any supported language. Undefined when it does not exist. */
  async find(given: string): Promise<FoundFile[] | undefined> {
    const info = await stat(given).catch(() => undefined);
    if (!info) return undefined;
    if (info.isDirectory()) return await this.#folder(given);
    if (!info.isFile()) this.note(`${given} is neither a file nor a folder; skipped.`);
    else if (!languageOf(given)) this.note(`${given} is in none of the languages C, C++, CUDA, Objective-C++ or Python; skipped.`);
    else return await this.#once(given, info.size);
    return [];
  }

  /** A file or folder that was reached on another way already, by a link or a second argument, is not visited again. */
  async #isNew(place: string): Promise<boolean> {
    const real = await realpath(place).catch(() => place);
    if (this.#seen.has(real)) return false;
    this.#seen.add(real);
    return true;
  }

  async #once(file: string, size: number): Promise<FoundFile[]> {
    return (await this.#isNew(file)) ? [{ file, size }] : [];
  }

  async #folder(folder: string): Promise<FoundFile[]> {
    if (!(await this.#isNew(folder))) return [];
    let entries: Dirent[];
    try {
      entries = await readdir(folder, { withFileTypes: true });
    } catch (error) {
      this.note(`The folder ${folder} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}); skipped.`);
      return [];
    }
    const found: FoundFile[] = [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) found.push(...(await this.#entry(folder, entry)));
    return found;
  }

  async #entry(folder: string, entry: Dirent): Promise<FoundFile[]> {
    if (skipped.test(entry.name)) return [];
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) return await this.#folder(place);
    const isLink = entry.isSymbolicLink();
    if (!isLink && !(entry.isFile() && languageOf(entry.name))) return [];
    const info = await stat(place).catch(() => undefined);
    if (!info) return [];
    if (info.isDirectory()) return await this.#folder(place);
    return info.isFile() && languageOf(entry.name) ? await this.#once(place, info.size) : [];
  }
}
