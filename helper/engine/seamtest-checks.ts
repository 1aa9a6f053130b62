/** What must hold for the seam test to pass. Pure. */
import type { SeamCheck, SeamControl, SeamMeasurement, SeamRun, SeamTeardown } from '../protocol/seamtest';

export function checksOf({ runs, controls, teardown }: { runs: SeamRun[]; controls: SeamControl[]; teardown: SeamTeardown[] }): SeamCheck[] {
  const measured = runs.filter((run): run is SeamRun & SeamMeasurement => 'usPerFrame' in run);
  const failed = runs.flatMap((run) => ('failed' in run ? [`${nameOf(run)}: ${run.failed.message}`] : []));
  const zero = (name: string, what: string, value: (run: SeamMeasurement) => number): SeamCheck => {
    const bad = measured.filter((run) => value(run) !== 0);
    const first = bad[0];
    return {
      name,
      ok: bad.length === 0,
      message: first
        ? `${bad.length} of ${measured.length} runs, first ${nameOf(first)}: ${value(first)} ${what}`
        : `0 ${what} in ${measured.length} runs`,
    };
  };
  return [
    { name: 'runs', ok: measured.length > 0 && failed.length === 0, message: failed[0] ?? `${measured.length} runs, none failed` },
    zero('framesWrong', 'frames that the consumer saw wrongly', (run) => run.framesWrong),
    zero('hostCopies', 'copies through the host while frames ran', (run) => run.hostCopies),
    zero('fdGrowth', 'file descriptors more after the frames than before', (run) => run.fdGrowth),
    zero('importsPerFrame', 'imports a frame', (run) => run.importsPerFrame),
    zero('leftovers', 'handles and descriptors left after the teardown', (run) => run.openHandles.length + Math.abs(run.fdsLeft)),
    ...controls.map(controlCheck),
    ...teardownChecks(teardown),
  ];
}

export function nameOf(run: Pick<SeamRun, 'mode' | 'slots' | 'ownership' | 'processes' | 'direction' | 'resource'>): string {
  const processes = run.processes === 1 ? '1 process' : '2 processes';
  return `${run.mode}, ${run.slots} ${run.slots === 1 ? 'slot' : 'slots'}, ${run.ownership}, ${processes}, ${run.direction}, ${run.resource}`;
}

function controlCheck({ name, result }: SeamControl): SeamCheck {
  if ('failed' in result) return { name: `control ${name}`, ok: false, message: result.failed.message };
  const { counter, counted, expected, tripped } = result;
  const message = `${counter} counted ${counted}, expected ${expected}`;
  return { name: `control ${name}`, ok: tripped, message: tripped ? message : `${message}: the test is asleep` };
}

function teardownChecks(teardown: SeamTeardown[]): SeamCheck[] {
  const documented = teardown.filter(({ order, outcome }) => order === 'documented' && outcome !== 'skipped');
  const unclean = documented.find(({ outcome, predicted }) => outcome !== 'clean' || predicted.length > 0);
  const inverted = teardown.filter(({ order, ownership, outcome }) => order === 'ownerFirst' && ownership === 'inverted' && outcome !== 'skipped');
  const caught = inverted.filter(({ predicted }) => predicted.length > 0).length;
  return [
    ...(documented.length > 0
      ? [{ name: 'documented teardown', ok: !unclean, message: unclean ? `${unclean.ownership}: ${unclean.detail}` : 'clean for each ownership' }]
      : []),
    ...(inverted.length > 0
      ? [{ name: 'inverted wrong order', ok: caught === inverted.length, message: `caught ${caught} of ${inverted.length} times` }]
      : []),
  ];
}
