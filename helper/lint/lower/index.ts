// Layer 3: one text in one preprocessor arm to facts.
import { annotationsOf } from '../config/annotations';
import type { Directive, Language } from '../facts/index';
import type { EffectSource } from '../flow/summary';
import { combineExtra, type ExtraKnowledge } from '../knowledge/extra';
import { Knowledge } from '../knowledge/index';
import type { Comments } from '../suppress/comments';
import type { Node } from '../syntax/node';
import { lowerAgain, lowerWhole, macrosOf } from './c/again';
import { lostIn } from './c/lost';
import { FileContext } from './context';
import { LoweredFile } from './file-facts';
import type { LoweringMemo } from './memo';
import { lowerPythonFile } from './python/file';

export interface Source {
  readonly path: string;
  readonly language: Language;
  /** Inactive parts blanked. */
  readonly text: string;
  readonly arm: string | undefined;
  /** Of the text. */
  readonly directives: readonly Directive[];
  /** Those of the same text in its other arms. */
  readonly otherDirectives: readonly Directive[];
  /** Undefined for Objective-C++, which is read as tokens only. */
  readonly root: Node | undefined;
  /** What the workspace adds to the tables. */
  readonly extra?: ExtraKnowledge | undefined;
  readonly elsewhere?: EffectSource | undefined;
  /** Of the same text in the same arm, earlier. */
  readonly memo?: LoweringMemo | undefined;
}

export function lowerFile(source: Source): LoweredFile {
  const file = lowered(source);
  const { root, text, language } = source;
  file.lost = () => (root && language !== 'python' ? lostIn(root, text) : []);
  return file;
}

function lowered(source: Source): LoweredFile {
  const extra = combineExtra(source.extra, annotationsOf(source.text, source.language, commentsFor(source)).extra);
  source.memo?.startOver(fingerprint(extra));
  const { directives, otherDirectives } = source;
  const renewed = lowerChanges(source);
  if (renewed) return renewed;
  if (source.memo) source.memo.last = undefined;
  const knowledge = new Knowledge(extra);
  knowledge.addMacros(directives, otherDirectives);
  const context = new FileContext(source.text, source.language, knowledge, source.memo);
  if (source.root && source.language === 'python') lowerPythonFile(context, source.root);
  else if (source.root) {
    const whole = lowerWhole(context, source.root, macrosOf(directives, otherDirectives));
    if (source.memo) source.memo.last = whole;
  }
  const file = source.memo?.fileFor(source) ?? new LoweredFile(source, false);
  file.renew(context, directives, source.elsewhere);
  return file;
}

/** Those of other languages are cheap to find again. */
function commentsFor({ memo, language, text }: Source): (() => Comments) | undefined {
  return memo && language !== 'python' ? () => memo.commentsOf(text) : undefined;
}

/** The version after one that differs in the insides of functions only. */
function lowerChanges(source: Source): LoweredFile | undefined {
  const { memo, root, text, elsewhere, directives, otherDirectives } = source;
  const isKept = memo?.last && root && memo.isFor(source);
  const again = isKept ? lowerAgain(memo.last!, text, root, macrosOf(directives, otherDirectives)) : undefined;
  if (!again) return undefined;
  const [now, difference] = again;
  memo!.last = now;
  const file = memo!.fileFor(source);
  file.renewPart(text, difference, directives, elsewhere);
  return file;
}

function fingerprint(extra: ExtraKnowledge): string {
  if (extra.apis.size + extra.checks.size === 0) return '';
  return JSON.stringify([extra.apis, extra.checks], (_, value) => (value instanceof Map || value instanceof Set ? [...value] : value));
}
