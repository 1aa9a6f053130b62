import type { SourceDescription } from '../../../helper/protocol/frames';
import type { PanelState } from './state';

/** Files are watched only while somebody looks: what the panel showed, the engine need not list. */
export function withWatched(sources: SourceDescription[], { source, sourceLabel }: Pick<PanelState, 'source' | 'sourceLabel'>): SourceDescription[] {
  if (!source?.startsWith('files:') || sources.some(({ id }) => id === source)) return sources;
  return [...sources, { id: source, label: sourceLabel ?? source, kind: 'files', device: '', outputs: [] }];
}

/** "train.py#2" is the second of two programs called train.py. */
const baseName = (label: string) => label.replace(/#\d+$/, '');
/** A program that is started again may come this long before its predecessor has quite ended, and gets another number. */
const OVERLAP_MS = 10_000;

/**
 * Finds the program that the shown one has become: started again, it may have another number. Not one that ran beside it for longer: that is
 * another one. Times are milliseconds of any one monotonic clock.
 */
export class Successors {
  readonly #cameAt = new Map<string, number>();
  #shown: { id: string; endedAt: number | null } | null = null;
  #isFirst = true;

  /** To be called with every list of sources; `id` is the chosen source's. */
  follow(sources: SourceDescription[], id: string | null, label: string | null, now: number): SourceDescription | undefined {
    const live = sources.filter(({ kind, state }) => kind === 'publisher' && state !== 'gone');
    for (const known of [...this.#cameAt.keys()]) if (!live.some((each) => each.id === known)) this.#cameAt.delete(known);
    const came = this.#isFirst ? Number.NEGATIVE_INFINITY : now;
    this.#isFirst = false;
    for (const each of live) if (!this.#cameAt.has(each.id)) this.#cameAt.set(each.id, came);
    if (id === null || label === null) return undefined;
    if (live.some((each) => each.id === id)) this.#shown = { id, endedAt: null };
    if (this.#shown?.id !== id || this.#cameAt.has(id)) return undefined;
    this.#shown.endedAt ??= now;
    const since = this.#shown.endedAt - OVERLAP_MS;
    const heirs = live.filter((each) => baseName(each.label) === baseName(label) && this.#cameAt.get(each.id)! > since);
    return heirs.sort((a, b) => this.#cameAt.get(b.id)! - this.#cameAt.get(a.id)!)[0];
  }
}

type Choice = Pick<PanelState, 'source' | 'sourceLabel' | 'chosen'>;

/**
 * The source of a panel: the one it had, the same program under a new id, or, as long as the user has chosen none, a program rather than the
 * built-in scene. Undefined: the chosen one is not there.
 */
export function sourceFor(sources: SourceDescription[], { source, sourceLabel, chosen }: Choice): SourceDescription | undefined {
  const live = sources.filter(({ state }) => state !== 'gone');
  const sameProgram = ({ kind, label }: SourceDescription) => kind !== 'scene' && label === sourceLabel;
  const same = live.find(({ id }) => id === source) ?? live.find(sameProgram) ?? sources.find(({ id }) => id === source) ?? sources.find(sameProgram);
  if (same && (chosen || same.kind !== 'scene')) return same;
  const better = live.find(({ kind, outputs }) => kind !== 'scene' && outputs.length > 0);
  if (!chosen && better) return better;
  return same ?? (source === null || !chosen ? sources[0] : undefined);
}
