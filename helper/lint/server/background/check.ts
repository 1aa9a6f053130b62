// Lints the files of a workspace one by one, in the background thread.
import path from 'node:path';
import type { EffectIndex } from '../../effects/index';
import { type LintOptions, lint } from '../../engine';
import { rules } from '../../rules/registry';
import type { Grammars } from '../../syntax/grammars';
import { FileFinder } from '../files';
import { type SourceFile, SourceFiles } from '../source-files';
import type { FromBackground } from './messages';

const knownIds = rules.map((rule) => rule.meta.id);
/** More notes than this nobody reads. */
const maxNotes = 20;

interface Checking {
  readonly id: number;
  readonly folders: readonly string[];
  readonly index: EffectIndex;
  readonly grammars: Grammars;
  isCancelled(): boolean;
  tell(message: FromBackground): void;
}

export async function checkFolders(checking: Checking): Promise<void> {
  const crashed = new Set<string>();
  const { id, folders, tell } = checking;
  const notes: string[] = [];
  const finder = new FileFinder(({ file, reason }) => notes.push(`${file} is not checked: ${reason}.`));
  const found = folders.flatMap((folder) => finder.find(folder) ?? []);
  const sources = new SourceFiles();
  for (const [done, { file, size }] of found.entries()) {
    // Lets a cancel in.
    await new Promise((resolve) => setImmediate(resolve));
    if (checking.isCancelled()) return;
    const absolute = path.resolve(file);
    tell({ kind: 'checking', id, file: absolute, done, total: found.length });
    const source = await sources.read(absolute, size);
    if ('refused' in source) notes.push(`${absolute} is not checked: ${source.refused}.`);
    else if (source.touchesSeam && !source.config?.ignores(absolute)) notes.push(...checkFile(checking, crashed, absolute, source));
  }
  tell({ kind: 'checkEnded', id, notes: notes.slice(0, maxNotes) });
}

/**
 * @param crashed rules that have failed on an earlier file: each is told once
 * @returns what went wrong, in sentences
 */
function checkFile({ id, grammars, index, tell }: Checking, crashed: Set<string>, file: string, { text, config, extra }: SourceFile): string[] {
  const preview = config?.config.preview === true;
  const options: LintOptions = { rules, known: knownIds, preview, levels: config?.config.levels, extra, elsewhere: index, fixes: false };
  try {
    const { findings, crashes, unparsed } = lint(file, text, grammars, options);
    if (findings.length > 0) tell({ kind: 'checked', id, file, findings });
    const notes = crashes
      .filter(({ ruleId }) => !crashed.has(ruleId))
      .map(({ ruleId, cause }) => `The rule ${ruleId} failed on ${file} (${cause}); the other rules went on.`);
    for (const { ruleId } of crashes) crashed.add(ruleId);
    return unparsed === undefined ? notes : [...notes, `${file} is not checked: ${unparsed}.`];
  } catch (error) {
    return [`${file} is not checked: Seamscope failed on it (${error instanceof Error ? error.message : String(error)}).`];
  }
}
