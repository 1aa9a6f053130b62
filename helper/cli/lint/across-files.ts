/** A second look at files that call functions of others, once the effects of all of them are known. */
import path from 'node:path';
import { EffectIndex } from '../../lint/effects/index';
import type { FoundFile } from '../../lint/server/files';
import type { FileResult } from './file-linter';
import type { FileEntry } from './worker';

export interface Checked {
  readonly found: FoundFile;
  result: FileResult;
}

interface Looker {
  readonly ahead: number;
  learn(entries: readonly FileEntry[]): void;
  check(file: FoundFile, fix: boolean): Promise<FileResult>;
  others(file: FoundFile, names: ReadonlySet<string>): Promise<FileResult['effects']>;
}

/** Files that change each other's effects in a circle end after so many rounds. */
const maxRounds = 8;

/** Replaces the results of files that come out otherwise. */
export async function lookAcrossFiles(checked: readonly Checked[], looker: Looker): Promise<void> {
  const byFile = new Map(checked.map((each) => [path.resolve(each.found.file), each]));
  const index = new EffectIndex();
  for (const [file, { result }] of byFile) index.set(file, result.effects);
  let callers = index.callersOf(index.names);
  if (callers.length === 0) return;
  await addOthers(byFile, index, looker);
  looker.learn([...index.files]);
  for (let round = 0; callers.length > 0 && round < maxRounds; round++) {
    const changed = new Set<string>();
    const entries: FileEntry[] = [];
    await inTurns(callers, looker.ahead, async (file) => {
      const each = byFile.get(file)!;
      each.result = await looker.check(each.found, false);
      const names = index.set(file, each.result.effects);
      if (names.size > 0) entries.push([file, each.result.effects]);
      for (const name of names) changed.add(name);
    });
    looker.learn(entries);
    callers = index.callersOf(changed).filter((file) => byFile.get(file)?.result.checked);
  }
}

/** Functions may have namesakes in files that name nothing of the seam. */
async function addOthers(byFile: ReadonlyMap<string, Checked>, index: EffectIndex, looker: Looker): Promise<void> {
  const { names } = index;
  const others = [...byFile].filter(([, { result }]) => result.checked && !result.effects);
  await inTurns(others, looker.ahead, async ([file, { found }]) => {
    index.set(file, await looker.others(found, names));
  });
}

async function inTurns<T>(all: readonly T[], ahead: number, work: (each: T) => Promise<void>): Promise<void> {
  const rest = all[Symbol.iterator]();
  const one = async () => {
    for (const each of { [Symbol.iterator]: () => rest }) await work(each);
  };
  await Promise.all(Array.from({ length: Math.max(1, ahead) }, one));
}
