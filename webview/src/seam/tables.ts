/** Tables beside the matrix: controls, stream synchronisation, connections, costs. */
import { controlNames, counterNames, ownershipNames } from '../../../helper/protocol/seam-words';
import type { SeamConnections, SeamControl, SeamDeviceReport, Skipped } from '../../../helper/protocol/seamtest';
import { us } from './numbers';
import { lead, section } from './section';
import { bad, type CellLike, good, number, table } from './table';

export function controlsSection({ controls }: SeamDeviceReport): HTMLElement {
  return section(
    'Faults Made on Purpose',
    lead('Each of these runs does something wrong. Its counter must notice, else the zeros above say nothing.'),
    table('Faults made on purpose', ['Result', 'Fault', 'Counter', 'Counted', 'Expected'], controls.map(controlRow)),
  );
}

function controlRow({ name, result }: SeamControl): CellLike[] {
  const what = controlNames[name] ?? name;
  if ('failed' in result) return [bad('could not run'), what, result.failed.message, number(''), ''];
  const { counter, counted, expected, tripped } = result;
  return [tripped ? good('noticed') : bad('NOT NOTICED'), what, counterNames[counter], number(counted), expected];
}

export function streamSyncSection({ streamSync }: SeamDeviceReport): HTMLElement {
  const title = 'Stream Synchronisation while Imports Are Held';
  if ('skipped' in streamSync) return section(title, notMeasured(streamSync));
  const rows = streamSync.rows.map(({ imports, ownership, p50Us, p99Us }) => [
    number(imports),
    imports === 0 ? '–' : ownershipNames[ownership],
    number(us(p50Us)),
    number(us(p99Us)),
  ]);
  return section(title, lead('cuStreamSynchronize after one kernel.'), table(title, ['Imports held', 'Owner', 'Median µs', 'p99 µs'], rows));
}

export function connectionsSection({ connections }: SeamDeviceReport): HTMLElement {
  const measured = connections.filter((each): each is SeamConnections => !('skipped' in each));
  const skipped = connections.find((each): each is Skipped => 'skipped' in each);
  const kernel = (value: number | null): CellLike => (value === null ? bad('blocked') : number(us(value)));
  const rows = measured.map((each) => [
    each.maxConnections ?? 'unset',
    number(us(each.vulkanUsIdle)),
    number(us(each.vulkanUsWaiting)),
    kernel(each.kernelUsIdle),
    kernel(each.kernelUsWaiting),
  ]);
  const header = ['Value', 'Vulkan submit µs', 'while CUDA waits', 'Unrelated kernel µs', 'while CUDA waits'];
  return section(
    'CUDA_DEVICE_MAX_CONNECTIONS',
    ...(rows.length > 0 ? [table('CUDA_DEVICE_MAX_CONNECTIONS', header, rows)] : []),
    ...(skipped ? [notMeasured(skipped)] : []),
  );
}

export function costsSection({ costs }: SeamDeviceReport): HTMLElement {
  const kinds = {
    memoryExport: 'exports memory',
    memoryImport: 'imports memory',
    semaphoreExport: 'exports a semaphore',
    semaphoreImport: 'imports a semaphore',
  };
  const rows = costs.map(({ call, kind, count, p50Us, p99Us }) => [call, kinds[kind], number(count), number(us(p50Us)), number(us(p99Us))]);
  return section('Exports and Imports', table('Exports and imports', ['Call', 'What it does', 'Count', 'Median µs', 'p99 µs'], rows));
}

function notMeasured({ skipped }: Skipped): HTMLElement {
  return lead(`Not measured: ${skipped}`);
}
