// The files that are mutated.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { languageOf } from '../../helper/lint/engine';

export interface CorpusFile {
  /** Relative to the folder it was found below. */
  readonly name: string;
  readonly text: string;
}

/** Larger files cost cases without adding shapes. */
const maxSize = 60_000;

/** Sources below the folders, in order of name, so that a seed means the same case everywhere. */
export function readCorpus(folders: readonly string[]): CorpusFile[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => languageOf(file) !== undefined)
      .sort()
      .map((file) => ({ name: file.split(path.sep).join('/'), full: path.join(folder, file) }))
      .filter(({ full }) => isWanted(full))
      .map(({ name, full }) => ({ name, text: readFileSync(full, 'utf8') })),
  );
}

function isWanted(file: string): boolean {
  const info = statSync(file, { throwIfNoEntry: false });
  return info?.isFile() === true && info.size > 0 && info.size <= maxSize;
}
