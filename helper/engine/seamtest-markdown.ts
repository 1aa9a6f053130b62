/** The report as Markdown. Pure. */
import type { SeamDeviceReport, SeamHandoff, SeamReport, SeamRun } from '../protocol/seamtest';

export function seamMarkdown(report: SeamReport): string {
  const { takenAt, frames, seconds, devices, notTested, passed } = report;
  return [
    '# Seam test',
    '',
    `${passed ? '**Passed.**' : '**Failed.**'} ${frames} frames in ${seconds.toFixed(1)} s, ${takenAt}.`,
    ...notTested.map(({ name, vulkanUuid, reason }) => `\nNot tested: ${name} (${vulkanUuid}). ${reason}`),
    ...devices.flatMap(deviceSection),
    ...(report.across ? acrossSection(report.across) : []),
    '',
  ].join('\n');
}

function acrossSection({ copies, check, words }: NonNullable<SeamReport['across']>): string[] {
  const rate = (bytes: number, us: number | null) => (us === null ? 'none' : `${us.toFixed(0)} us, ${(bytes / us / 1000).toFixed(1)} GB/s`);
  return [
    '',
    '## Across devices',
    '',
    `${check.ok ? 'ok' : '**FAILED**'}: ${check.message}.`,
    '',
    ...table(
      ['from', 'to', 'a frame with peer access', 'a frame without', 'words wrong'],
      copies.map(({ from, ordinal, bytes, directUs, stagedUs, wordsWrong }) => [
        `CUDA ${from}`,
        `CUDA ${ordinal}`,
        rate(bytes, directUs),
        rate(bytes, stagedUs),
        String(wordsWrong),
      ]),
    ),
    '',
    ...bullets(words),
  ];
}

function deviceSection(report: SeamDeviceReport): string[] {
  const { device, runs, costs, model, findings, teardown, handoff, checks } = report;
  const partner = device.partner === 'cuda' ? `CUDA ordinal ${device.cudaOrdinal}` : 'the host (no CUDA device with this UUID)';
  return [
    '',
    `## ${device.name}`,
    '',
    `Vulkan ${device.vulkanUuid}, driver ${device.driver}. Partner: ${partner}.`,
    '',
    '### Checks',
    '',
    ...table(
      ['check', 'result', 'found'],
      checks.map(({ name, ok, message }) => [name, ok ? 'ok' : '**FAILED**', message]),
    ),
    '',
    '### What it means',
    '',
    ...bullets([...(model?.words ?? []), ...findings]),
    '',
    '### Runs',
    '',
    ...table(['mode', 'slots', 'owner', 'processes', 'direction', 'shared', 'us a frame', 'wrong', 'host copies', 'fd growth'], runs.map(runRow)),
    ...skippedLines(runs),
    '',
    '### Exports and imports',
    '',
    ...table(
      ['call', 'kind', 'count', 'median us', 'p99 us'],
      costs.map(({ call, kind, count, p50Us, p99Us }) => [call, kind, String(count), p50Us.toFixed(1), p99Us.toFixed(1)]),
    ),
    '',
    '### Teardown',
    '',
    ...table(
      ['order', 'owner', 'try', 'ledger predicted', 'found', 'in words'],
      teardown.map(({ order, ownership, repetition, predicted, outcome, detail }) => [
        order,
        ownership,
        String(repetition),
        predicted.length === 0 ? 'clean' : predicted.map(({ released, usedBy }) => `${released} freed while used by ${usedBy.join(', ')}`).join('; '),
        outcome,
        detail,
      ]),
    ),
    ...handoffSection(handoff),
  ];
}

const HANDOFF_TITLES: Record<keyof SeamHandoff, string> = {
  interopPath: 'Interop path',
  transferPoints: 'Ownership and transfer points',
  freeOrder: 'Free order',
  buffering: 'Buffering',
  toleratedAsymmetries: 'Tolerated asymmetries',
  runsOnDevice: 'Runs on the device',
  runsOnHost: 'Runs on the host',
  evidence: 'Evidence',
};

function handoffSection(handoff: SeamHandoff): string[] {
  const keys = Object.keys(HANDOFF_TITLES) as (keyof SeamHandoff)[];
  return ['', '### Hand-off', ...keys.flatMap((key) => ['', `**${HANDOFF_TITLES[key]}**`, '', ...bullets(handoff[key])])];
}

function runRow(run: SeamRun): string[] {
  const axes = [run.mode, String(run.slots), run.ownership, String(run.processes), run.direction, run.resource];
  if ('skipped' in run) return [...axes, 'skipped', '', '', ''];
  if ('failed' in run) return [...axes, `**${run.failed.message}**`, '', '', ''];
  return [...axes, run.usPerFrame.toFixed(1), String(run.framesWrong), String(run.hostCopies), String(run.fdGrowth)];
}

/** Each reason once, with how many runs it stopped. */
function skippedLines(runs: SeamRun[]): string[] {
  const counts = new Map<string, number>();
  for (const run of runs) if ('skipped' in run) counts.set(run.skipped, (counts.get(run.skipped) ?? 0) + 1);
  return counts.size === 0 ? [] : ['', ...[...counts].map(([reason, count]) => `- ${count} skipped: ${reason}`)];
}

const bullets = (lines: string[]) => lines.map((line) => `- ${line}`);

function table(header: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)];
}
