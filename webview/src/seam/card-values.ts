/** The few numbers that everyone looks for first. Pure: cards.ts shows them. */
import type { SeamDeviceReport, SeamMeasurement, SeamRun } from '../../../helper/protocol/seamtest';
import { grouped, us } from './numbers';

export interface Card {
  name: string;
  value: string;
  note?: string;
  /** Absent for what is neither right nor wrong. */
  ok?: boolean;
}

type Measured = SeamRun & SeamMeasurement;

export function cardsOf({ runs, model }: Pick<SeamDeviceReport, 'runs' | 'model'>): Card[] {
  const measured = runs.filter((run): run is Measured => 'usPerFrame' in run);
  const count = (name: string, value: (run: Measured) => number): Card => {
    const sum = measured.reduce((total, run) => total + value(run), 0);
    return { name, value: grouped(sum), ok: sum === 0 && measured.length > 0 };
  };
  return [
    count('Wrong frames', ({ framesWrong }) => framesWrong),
    count('Host copies', ({ hostCopies }) => hostCopies),
    count('Descriptor growth', ({ fdGrowth }) => Math.abs(fdGrowth)),
    ...handoffCard(measured),
    ...(model
      ? [
          {
            name: 'Slots worth having',
            value: String(model.slotsWorthHaving),
            note: model.handoverUs > 0 ? `a switch costs ${us(model.switchUs)} µs` : 'more made frames no faster',
          },
        ]
      : []),
  ];
}

/** Of timeline semaphores where there are any; one process and one slot: the two ends of one clock. */
function handoffCard(measured: Measured[]): Card[] {
  const timed = measured.filter(({ latencyUs, resource, ownership }) => latencyUs && resource === 'buffer' && ownership === 'exporter');
  const run = timed.find(({ mode }) => mode === 'timeline') ?? timed[0];
  if (!run?.latencyUs) return [];
  const { p50, p95 } = run.latencyUs;
  return [{ name: `Hand-off, ${run.mode}`, value: `${us(p50)} µs`, note: `median; p95 ${us(p95)} µs` }];
}
