/** The report as Markdown, with everything that its JSON says. Pure. */
import { handoffTitles, seamTerms } from '../protocol/seam-words';
import type { SeamDeviceReport, SeamHandoff, SeamReport } from '../protocol/seamtest';
import { bullets, table } from './markdown-table';
import {
  callCosts,
  checksTable,
  connectionsTable,
  controlsTable,
  modelTable,
  runsTable,
  skippedLines,
  streamSyncTable,
  teardownTable,
} from './seamtest-markdown-tables';

export function seamMarkdown(report: SeamReport): string {
  const { takenAt, frames, seconds, devices, notTested, passed, verdict, settings } = report;
  return [
    '# Seam test',
    '',
    `${passed ? '**Passed.**' : '**Failed.**'} ${frames} frames in ${seconds.toFixed(1)} s, ${takenAt}${settings.quick ? ', quick test' : ''}.`,
    '',
    verdict.headline,
    '',
    ...bullets([...verdict.sentences, ...verdict.nextSteps.map((step) => `Next step: ${step}`)]),
    ...notTested.map(({ name, vulkanUuid, reason }) => `\nNot tested: ${name} (${vulkanUuid}). ${reason}`),
    ...devices.flatMap(deviceSection),
    ...(report.across ? acrossSection(report.across) : []),
    ...section('## Words', bullets(seamTerms.map(({ word, meaning }) => `**${word}**: ${meaning}`))),
    '',
  ].join('\n');
}

/** Nothing of it when there are no lines. */
function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', title, '', ...lines];
}

function acrossSection({ copies, check, words }: NonNullable<SeamReport['across']>): string[] {
  const rate = (bytes: number, us: number | null) => (us === null ? 'none' : `${us.toFixed(0)} us, ${(bytes / us / 1000).toFixed(1)} GB/s`);
  const rows = copies.map(({ from, ordinal, bytes, directUs, stagedUs, wordsWrong }) => [
    `CUDA ${from}`,
    `CUDA ${ordinal}`,
    rate(bytes, directUs),
    rate(bytes, stagedUs),
    String(wordsWrong),
  ]);
  return section('## Across devices', [
    `${check.ok ? 'ok' : '**FAILED**'}: ${check.message}.`,
    '',
    ...table(['from', 'to', 'a frame with peer access', 'a frame without', 'words wrong'], rows),
    '',
    ...bullets(words),
  ]);
}

function deviceSection(report: SeamDeviceReport): string[] {
  const { device, model, findings, handoff } = report;
  const partner = device.partner === 'cuda' ? `CUDA ordinal ${device.cudaOrdinal}` : 'the host (no CUDA device with this UUID)';
  return [
    ...section(`## ${device.name}`, [`Vulkan ${device.vulkanUuid}, driver ${device.driver}. Partner: ${partner}.`]),
    ...section('### Checks', checksTable(report)),
    ...section('### What it means', bullets([...(model?.words ?? []), ...findings])),
    ...section('### Throughput by slots', modelTable(report)),
    ...section('### Runs', [...runsTable(report), ...skippedLines(report.runs)]),
    ...section('### Faults made on purpose', controlsTable(report)),
    ...section('### Stream synchronisation while imports are held', streamSyncTable(report)),
    ...section('### CUDA_DEVICE_MAX_CONNECTIONS', connectionsTable(report)),
    ...section('### Exports and imports', callCosts(report)),
    ...section('### Teardown', teardownTable(report)),
    ...handoffSection(handoff),
  ];
}

function handoffSection(handoff: SeamHandoff): string[] {
  const keys = Object.keys(handoffTitles) as (keyof SeamHandoff)[];
  return ['', '### Hand-off', ...keys.flatMap((key) => section(`**${handoffTitles[key]}**`, bullets(handoff[key])))];
}
