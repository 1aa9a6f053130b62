/** Runs the matrix of one device. A process that dies in one run is reported there, and a new one takes the rest. */
import type { SeamCallCost, SeamCell, SeamEvent, SeamFailure, SeamJob, SeamMeasurement, SeamRun, Skipped } from '../protocol/seamtest';
import { describeEnd } from './seamtest-end';
import { runSeamProcess, type SeamProcessOptions } from './seamtest-process';

type Outcome = SeamMeasurement | Skipped | { failed: SeamFailure };

export interface CellsResult {
  runs: SeamRun[];
  costs: SeamCallCost[];
  timelineExport: boolean;
  /** Set when the device could not even be opened. */
  problem?: SeamFailure;
}

export async function runCells(
  options: SeamProcessOptions,
  device: SeamJob['device'],
  cells: SeamCell[],
  hooks: { onCell: (cell: SeamCell) => void; signal?: AbortSignal },
): Promise<CellsResult> {
  const peer = [process.execPath, options.script, options.addonPath, JSON.stringify({ kind: 'peer' })];
  const outcomes = new Map<number, Outcome>();
  const result: CellsResult = { runs: [], costs: [], timelineExport: false };
  while (outcomes.size < cells.length && !hooks.signal?.aborted && !result.problem) {
    const left = cells.map((cell, id) => ({ ...cell, id })).filter(({ id }) => !outcomes.has(id));
    let current: number | null = null;
    const onEvent = (event: SeamEvent) => {
      if (event.event === 'started') {
        current = event.id as number;
        hooks.onCell(cells[current]!);
      }
      const outcome = outcomeOf(event);
      if (outcome) outcomes.set(...outcome);
      if (event.event === 'costs') result.costs.push(...event.costs);
      if (event.event === 'device') result.timelineExport = event.facts.timelineExport;
      if (event.event === 'error') result.problem = event.error;
    };
    const job: SeamJob = { kind: 'cells', parent: process.pid, device, cells: left, peer };
    const end = await runSeamProcess(options, job, { onEvent, silenceMs: silenceOf(cells), ...(hooks.signal ? { signal: hooks.signal } : {}) });
    if (outcomes.size === cells.length || result.problem) break;
    // It ended early: the run it was in is to blame, and without one nothing would change by starting again.
    const failed = describeEnd(end, 'The test process');
    if (current !== null && !outcomes.has(current)) outcomes.set(current, { failed });
    else result.problem = failed;
  }
  result.runs = cells.flatMap((cell, id) => runOf(cell, outcomes.get(id)));
  return result;
}

/** Generous: a run on a loaded machine is slow, not stuck. The native waits end after ten seconds themselves. */
function silenceOf(cells: SeamCell[]): number {
  return 60_000 + Math.max(0, ...cells.map(({ frames }) => frames)) * 50;
}

function outcomeOf(event: SeamEvent): [number, Outcome] | null {
  if (event.event === 'run') return [event.id, event.result];
  if (event.event === 'skipped') return [event.id ?? -1, { skipped: event.reason }];
  if (event.event === 'failed') return [event.id as number, { failed: event.error }];
  return null;
}

function runOf({ warmup: _, latencyFrames: __, ...cell }: SeamCell, outcome: Outcome | undefined): SeamRun[] {
  return outcome ? [{ ...cell, ...outcome }] : [];
}
