import type { SourceDescription } from '../../../helper/protocol/frames';
import type { PanelState } from './state';

type Choice = Pick<PanelState, 'source' | 'sourceLabel' | 'chosen'>;

/**
 * The source of a panel: the one it had, the same program under a new id, or, as long as the user has chosen none, a program rather than the
 * built-in scene. Undefined: the chosen one is not there.
 */
export function sourceFor(sources: SourceDescription[], { source, sourceLabel, chosen }: Choice): SourceDescription | undefined {
  const same = sources.find(({ id }) => id === source) ?? sources.find(({ kind, label }) => kind !== 'scene' && label === sourceLabel);
  if (same && (chosen || same.kind !== 'scene')) return same;
  const better = sources.find(({ kind, outputs }) => kind !== 'scene' && outputs.length > 0);
  if (!chosen && better) return better;
  return same ?? (source === null || !chosen ? sources[0] : undefined);
}
