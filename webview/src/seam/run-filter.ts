/** Which runs are shown. Pure: runs.ts shows them. */
import type { SeamFilterName } from '../../../helper/protocol/seam-panel';
import type { SeamRun } from '../../../helper/protocol/seamtest';

export type Filter = Record<SeamFilterName, string>;

export const unfiltered: Filter = { mode: '', direction: '', owner: '', show: 'measured' };

export function filteredRuns(runs: SeamRun[], { mode, direction, owner, show }: Filter): SeamRun[] {
  const wanted = (choice: string, value: string) => choice === '' || choice === value;
  return runs.filter((run) => wanted(mode, run.mode) && wanted(direction, run.direction) && wanted(owner, run.ownership) && isShown(run, show));
}

function isShown(run: SeamRun, show: string): boolean {
  if (show === 'all') return true;
  return show === 'problems' ? hasProblem(run) : !('skipped' in run);
}

export function hasProblem(run: SeamRun): boolean {
  if ('failed' in run) return true;
  if ('skipped' in run) return false;
  return (
    run.framesWrong !== 0 ||
    run.hostCopies !== 0 ||
    run.fdGrowth !== 0 ||
    run.importsPerFrame !== 0 ||
    run.openHandles.length > 0 ||
    run.fdsLeft !== 0
  );
}

export function skippedReasons(runs: SeamRun[]): { reason: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const run of runs) if ('skipped' in run) counts.set(run.skipped, (counts.get(run.skipped) ?? 0) + 1);
  return [...counts].map(([reason, count]) => ({ reason, count }));
}
