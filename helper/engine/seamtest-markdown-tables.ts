/** The tables of one device's part of the report. Each is lines of Markdown, none when there is nothing to say. Pure. */
import { controlNames, counterNames, directionName, modeNames, orderNames, outcomeNames, ownershipNames } from '../protocol/seam-words';
import type { SeamDeviceReport, SeamModel, SeamRun } from '../protocol/seamtest';
import { bullets, table } from './markdown-table';

export function checksTable({ checks }: SeamDeviceReport): string[] {
  return table(
    ['check', 'result', 'found'],
    checks.map(({ name, ok, message }) => [name, ok ? 'ok' : '**FAILED**', message]),
  );
}

export function modelTable({ model }: SeamDeviceReport): string[] {
  if (!model) return [];
  const rows = model.fitted.map(({ slots, usPerFrame }) => [
    String(slots),
    usPerFrame.toFixed(1),
    perSecond(usPerFrame),
    (model.workUs + model.handoverUs / slots).toFixed(1),
  ]);
  return [modelLine(model), '', ...table(['slots', 'us a frame', 'frames a second', 'us by the model'], rows)];
}

/** Two points give a line that nothing checks, and where more slots are no faster there is no switch to price. */
function modelLine({ mode, fitted, workUs, handoverUs, rSquared, switchUs, overlap, slotsWorthHaving }: SeamModel): string {
  const fits = handoverUs > 0;
  const frame = fits ? `frame = ${workUs.toFixed(1)} us + ${handoverUs.toFixed(1)} us / slots` : 'the model does not fit, more slots were no faster';
  const checked = fitted.length === 2 ? 'R² not known from two points' : `R² ${rSquared.toFixed(3)}`;
  const change = fits ? `${switchUs.toFixed(1)} us` : 'not known';
  return (
    `${modeNames[mode]}, one process, Vulkan to its partner: ${frame}, ${checked}; ` +
    `switch ${change}, overlap ${overlap?.toFixed(2) ?? 'not known'}, slots worth having ${slotsWorthHaving}.`
  );
}

export function runsTable({ runs, device }: SeamDeviceReport): string[] {
  const header = ['mode', 'slots', 'owner', 'processes', 'direction', 'shared', 'us a frame', 'frames a second'];
  const counted = ['hand-off median us', 'p95', 'wrong', 'host copies', 'fd growth'];
  return table(
    [...header, ...counted],
    runs.map((run) => [
      run.mode,
      String(run.slots),
      ownershipNames[run.ownership],
      String(run.processes),
      directionName(run.direction, device.partner),
      run.resource,
      ...runNumbers(run),
    ]),
  );
}

function runNumbers(run: SeamRun): string[] {
  if ('skipped' in run) return ['skipped', '', '', '', '', '', ''];
  if ('failed' in run) return [`**${run.failed.message}**`, '', '', '', '', '', ''];
  const { usPerFrame, latencyUs, framesWrong, hostCopies, fdGrowth } = run;
  const latency = latencyUs ? [latencyUs.p50.toFixed(1), latencyUs.p95.toFixed(1)] : ['', ''];
  return [usPerFrame.toFixed(1), perSecond(usPerFrame), ...latency, ...[framesWrong, hostCopies, fdGrowth].map(String)];
}

/** Each reason once, with how many runs it stopped. */
export function skippedLines(runs: SeamRun[]): string[] {
  const counts = new Map<string, number>();
  for (const run of runs) if ('skipped' in run) counts.set(run.skipped, (counts.get(run.skipped) ?? 0) + 1);
  return counts.size === 0 ? [] : ['', ...bullets([...counts].map(([reason, count]) => `${count} skipped: ${reason}`))];
}

export function controlsTable({ controls }: SeamDeviceReport): string[] {
  const rows = controls.map(({ name, result }) =>
    'failed' in result
      ? [controlNames[name] ?? name, '', '', '', `**${result.failed.message}**`]
      : [
          controlNames[name] ?? name,
          counterNames[result.counter],
          String(result.counted),
          result.expected,
          result.tripped ? 'noticed' : '**NOT NOTICED**',
        ],
  );
  return controls.length === 0 ? [] : table(['control', 'counter', 'counted', 'expected', 'result'], rows);
}

export function streamSyncTable({ streamSync }: SeamDeviceReport): string[] {
  if ('skipped' in streamSync) return [`Not measured: ${streamSync.skipped}`];
  const rows = streamSync.rows.map(({ imports, ownership, p50Us, p99Us }) => [
    String(imports),
    imports === 0 ? '' : ownershipNames[ownership],
    p50Us.toFixed(1),
    p99Us.toFixed(1),
  ]);
  return table(['imports held', 'owner', 'cuStreamSynchronize median us', 'p99 us'], rows);
}

export function connectionsTable({ connections }: SeamDeviceReport): string[] {
  const kernel = (us: number | null) => (us === null ? 'blocked' : us.toFixed(1));
  const rows = connections.flatMap((each) =>
    'skipped' in each
      ? []
      : [
          [
            each.maxConnections ?? 'unset',
            each.vulkanUsIdle.toFixed(1),
            each.vulkanUsWaiting.toFixed(1),
            kernel(each.kernelUsIdle),
            kernel(each.kernelUsWaiting),
          ],
        ],
  );
  const skipped = new Set(connections.flatMap((each) => ('skipped' in each ? [`Not measured: ${each.skipped}`] : [])));
  const header = ['value', 'Vulkan submit us', 'while CUDA streams wait', 'unrelated kernel us', 'while CUDA streams wait'];
  return [...(rows.length > 0 ? table(header, rows) : []), ...skipped];
}

export function callCosts({ costs }: SeamDeviceReport): string[] {
  const rows = costs.map(({ call, kind, count, p50Us, p99Us }) => [call, kind, String(count), p50Us.toFixed(1), p99Us.toFixed(1)]);
  return table(['call', 'kind', 'count', 'median us', 'p99 us'], rows);
}

export function teardownTable({ teardown }: SeamDeviceReport): string[] {
  return table(
    ['order', 'owner', 'try', 'ledger predicted', 'this driver', 'in words'],
    teardown.map(({ order, ownership, repetition, predicted, outcome, detail }) => [
      orderNames[order],
      ownershipNames[ownership],
      String(repetition),
      predicted.length === 0 ? 'clean' : predicted.map(({ released, usedBy }) => `${released} freed while used by ${usedBy.join(', ')}`).join('; '),
      outcomeNames[outcome],
      detail,
    ]),
  );
}

const perSecond = (usPerFrame: number) => (1e6 / usPerFrame).toFixed(0);
