/** Finds the files to lint below the paths of the command line. */
import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { languageOf, sourceEndings } from '../engine';
import { unreadable } from './unreadable';

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
  readonly why: 'unreadable' | 'language' | 'ignored' | 'empty';
  readonly isNamed: boolean;
}

const endings = `${sourceEndings.slice(0, -1).join(' ')} or ${sourceEndings.at(-1)}`;
const notOurs = `it is in none of the languages C, C++, CUDA, Objective-C++ or Python: their files end in ${endings}`;
const noSources =
  'it holds no source file in C, C++, CUDA, Objective-C++ or Python, outside of folders such as build or node_modules: check the path';

/**
 * Walks folders in order of name. `leaveOut` gets what could not be read. Throws nothing but for paths that do not exist.
 * It does not give way to anything else: for a tree of thousands of files the threads that would read for it take ten times as long.
 */
export class FileFinder {
  readonly #seen = new Set<string>();
  /** Links that were met, to be followed when everything that lies there itself has been found under its own name. */
  readonly #links: string[] = [];
  /** Something came up below the present path, be it for the second time. */
  #met = false;

  constructor(private readonly leaveOut: (what: LeftOut) => void) {}

  /** Files below `given`; the path itself may be a file of any supported language. Undefined when it does not exist. */
  find(given: string): FoundFile[] | undefined {
    const info = infoOf(given);
    if (!info) return undefined;
    const found: FoundFile[] = [];
    const refuse = (why: LeftOut['why'], reason: string) => this.leaveOut({ file: given, reason, why, isNamed: true });
    if (info.isDirectory()) {
      this.#met = false;
      this.#folder(given, realOf(given), true, found);
      this.#followLinks(found);
      if (!this.#met) refuse('empty', noSources);
    } else if (!info.isFile()) refuse('unreadable', 'it is neither a file nor a folder: name a source file');
    else if (!languageOf(given)) refuse('language', notOurs);
    else if (this.#isNew(realOf(given))) found.push({ file: given, size: info.size, isNamed: true });
    return found;
  }

  /** A file or folder that was reached on another way already, by a link or a second argument, is not visited again. */
  #isNew(real: string): boolean {
    if (this.#seen.has(real)) return false;
    this.#seen.add(real);
    return true;
  }

  #folder(folder: string, real: string, isNamed: boolean, found: FoundFile[]): void {
    if (!this.#isNew(real)) {
      this.#met = true;
      return;
    }
    let entries: Dirent[];
    try {
      entries = readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      this.#met = true;
      this.leaveOut({ file: folder, reason: unreadable(error, 'the folder', folder), why: 'unreadable', isNamed });
      return;
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) this.#entry(folder, real, entry, found);
  }

  #entry(folder: string, realFolder: string, entry: Dirent, found: FoundFile[]): void {
    if (skipped.test(entry.name)) return;
    const file = path.join(folder, entry.name);
    // Only a link lies elsewhere than its folder.
    const real = path.join(realFolder, entry.name);
    if (entry.isSymbolicLink()) this.#links.push(file);
    else if (entry.isDirectory()) this.#folder(file, real, false, found);
    else if (entry.isFile() && languageOf(entry.name)) this.#plainFile(file, real, found);
  }

  #plainFile(file: string, real: string, found: FoundFile[]): void {
    try {
      this.#file(file, real, statSync(file), found);
    } catch (error) {
      this.#met = true;
      this.leaveOut({ file, reason: unreadable(error, 'it', file), why: 'unreadable', isNamed: false });
    }
  }

  #file(file: string, real: string, info: Stats | undefined, found: FoundFile[]): void {
    this.#met ||= info?.isFile() === true;
    if (info?.isFile() && this.#isNew(real)) found.push({ file, size: info.size, isNamed: false });
  }

  #followLinks(found: FoundFile[]): void {
    for (let next = this.#links.shift(); next !== undefined; next = this.#links.shift()) {
      const info = infoOf(next);
      if (info?.isDirectory()) this.#folder(next, realOf(next), false, found);
      else if (languageOf(next)) this.#file(next, realOf(next), info, found);
    }
  }
}

function infoOf(place: string): Stats | undefined {
  try {
    return statSync(place);
  } catch {
    return undefined;
  }
}

function realOf(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    return place;
  }
}
