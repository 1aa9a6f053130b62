/** The matrix of runs, with filters; runs that cannot be made here are told once, by their reason. */

import type { SeamFilterName } from '../../../helper/protocol/seam-panel';
import { directionName, ownershipNames } from '../../../helper/protocol/seam-words';
import type { SeamDeviceReport, SeamMeasurement, SeamRun } from '../../../helper/protocol/seamtest';
import { element, select, setOptions } from '../shared/dom';
import { framesPerSecond, us } from './numbers';
import { type Filter, filteredRuns, skippedReasons } from './run-filter';
import { section } from './section';
import { bad, type CellLike, number, table, zero } from './table';

const HEADER = [
  ...['Sync', 'Slots', 'Owner', 'Processes', 'Direction', 'Shared', 'Frames/s', 'µs a frame'],
  ...['Hand-off median', 'p95', 'Wrong frames', 'Host copies', 'Fd growth'],
];

/** Columns after the axes. */
const NUMBERS = 7;

export function runsSection({ runs, device }: SeamDeviceReport, filter: Filter, onFilter: (filter: Filter) => void): HTMLElement {
  const shown = filteredRuns(runs, filter);
  const rows = shown.map((run) => rowOf(run, device.partner));
  const empty = element('p', { class: 'lead' }, filter.show === 'problems' ? 'No run has a problem.' : 'No run fits this choice.');
  return section(
    'Runs',
    element('div', { class: 'filters' }, ...filters(device.partner, filter, onFilter)),
    rows.length > 0 ? table('Runs', HEADER, rows) : empty,
    ...skippedReasons(runs).map(({ reason, count }) =>
      element('p', { class: 'lead' }, `${count} of ${runs.length} runs cannot be made here: ${reason}`),
    ),
  );
}

function rowOf(run: SeamRun, partner: SeamDeviceReport['device']['partner']): CellLike[] {
  const axes: CellLike[] = [
    run.mode,
    number(run.slots),
    ownershipNames[run.ownership],
    number(run.processes),
    directionName(run.direction, partner),
    run.resource,
  ];
  if ('skipped' in run) return [...axes, { text: 'cannot be made here', kind: 'faint', title: run.skipped, span: NUMBERS }];
  if ('failed' in run) return [...axes, { ...bad(run.failed.message), title: run.failed.nextStep, span: NUMBERS }];
  return [...axes, ...numbers(run)];
}

function numbers({ usPerFrame, latencyUs, framesWrong, hostCopies, fdGrowth }: SeamMeasurement): CellLike[] {
  const latency = latencyUs ? [number(`${us(latencyUs.p50)} µs`), number(`${us(latencyUs.p95)} µs`)] : [number(''), number('')];
  return [number(framesPerSecond(usPerFrame)), number(us(usPerFrame)), ...latency, zero(framesWrong), zero(hostCopies), zero(fdGrowth)];
}

type Options = { name: SeamFilterName; label: string; options: { value: string; label: string }[] };

function filters(partner: SeamDeviceReport['device']['partner'], filter: Filter, onFilter: (filter: Filter) => void): HTMLElement[] {
  const any = (label: string) => ({ value: '', label });
  const all: Options[] = [
    {
      name: 'mode',
      label: 'Synchronised by',
      options: [any('Any synchronisation'), { value: 'timeline', label: 'Timeline' }, { value: 'fence', label: 'Fence' }],
    },
    {
      name: 'direction',
      label: 'Direction',
      options: [
        any('Both directions'),
        ...(['vulkan-to-partner', 'partner-to-vulkan'] as const).map((value) => ({ value, label: directionName(value, partner) })),
      ],
    },
    {
      name: 'owner',
      label: 'Owner',
      options: [any('Any owner'), ...(['exporter', 'inverted'] as const).map((value) => ({ value, label: ownershipNames[value] }))],
    },
    {
      name: 'show',
      label: 'Show',
      options: [
        { value: 'measured', label: 'What was measured' },
        { value: 'problems', label: 'Problems only' },
        { value: 'all', label: 'All runs' },
      ],
    },
  ];
  return all.map(({ name, label, options }) => {
    const box = select(label, (value) => onFilter({ ...filter, [name]: value }));
    setOptions(box, options, filter[name]);
    return box;
  });
}
