import type { SourceDescription } from '../../../helper/protocol/frames';
import type { PanelState } from './state';

/** Files are watched only while somebody looks: what the panel showed, the engine need not list. */
export function withWatched(sources: SourceDescription[], { source, sourceLabel }: Pick<PanelState, 'source' | 'sourceLabel'>): SourceDescription[] {
  if (!source?.startsWith('files:') || sources.some(({ id }) => id === source)) return sources;
  return [...sources, { id: source, label: sourceLabel ?? source, kind: 'files', device: '', outputs: [] }];
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
