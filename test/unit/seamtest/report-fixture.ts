/** A whole report, as a machine with one matched GPU gives it. */
import { checksOf } from '../../../helper/engine/seamtest-checks';
import { findingsOf } from '../../../helper/engine/seamtest-findings';
import { handoffOf } from '../../../helper/engine/seamtest-handoff';
import { fitModel } from '../../../helper/engine/seamtest-model';
import { verdictOf } from '../../../helper/engine/seamtest-verdict';
import type { SeamDeviceReport, SeamReport, SeamRun, SeamTeardown } from '../../../helper/protocol/seamtest';
import { measuredRun, skippedRun } from './fixtures';

/** Microseconds a frame by slots, as measured on an H200. */
const TIMES: [number, number][] = [
  [1, 327],
  [2, 172],
  [3, 121],
  [8, 58],
];
const violation = { released: 'CUDA: allocation of slot 0', usedBy: ['Vulkan: import of slot 0'], consequence: 'Undefined.' };

export const teardowns: SeamTeardown[] = [
  { order: 'documented', ownership: 'exporter', repetition: 1, predicted: [], outcome: 'clean', detail: 'Nothing was reported.', validated: true },
  {
    order: 'ownerFirst',
    ownership: 'inverted',
    repetition: 1,
    predicted: [violation],
    outcome: 'crash',
    detail: 'The process was ended by SIGSEGV.',
    validated: true,
  },
];

type Parts = Partial<Pick<SeamDeviceReport, 'runs' | 'controls' | 'teardown' | 'streamSync' | 'connections'>> & { partner?: 'cuda' | 'host' };

export function deviceReport({ partner = 'cuda', ...parts }: Parts = {}): SeamDeviceReport {
  const runs: SeamRun[] = [
    ...TIMES.map(([slots, usPerFrame]) =>
      measuredRun({ mode: 'timeline', slots }, { usPerFrame, ...(slots === 1 ? { latencyUs: { p50: 160, p95: 171, p99: 190 } } : {}) }),
    ),
    skippedRun({ ownership: 'inverted', resource: 'image' }),
  ];
  const measured = {
    device: {
      name: 'NVIDIA H200',
      vulkanUuid: '6d657361-3232-2e33-2e36-000000000000',
      ...(partner === 'cuda' ? { cudaOrdinal: 0 } : {}),
      partner,
      driver: 'NVIDIA 580.159.04',
      timelineExport: true,
    },
    runs,
    costs: [{ call: 'cuImportExternalMemory', kind: 'memoryImport' as const, count: 8, p50Us: 44, p99Us: 54 }],
    controls: [
      { name: 'staging', result: { counter: 'hostCopies' as const, counted: 40, expected: 'at least 20', tripped: true, usPerFrame: 517 } },
      { name: 'staleReader', result: { counter: 'framesWrong' as const, counted: 20, expected: '20', tripped: true } },
    ],
    teardown: teardowns,
    streamSync: {
      rows: [
        { imports: 0, ownership: 'inverted' as const, p50Us: 9, p99Us: 12 },
        { imports: 8, ownership: 'exporter' as const, p50Us: 90, p99Us: 120 },
      ],
    },
    connections: [
      { maxConnections: null, streams: 4, vulkanUsIdle: 20, vulkanUsWaiting: 400, kernelUsIdle: 10, kernelUsWaiting: 12 },
      { maxConnections: '1', streams: 4, vulkanUsIdle: 20, vulkanUsWaiting: 21, kernelUsIdle: 10, kernelUsWaiting: null },
    ],
    ...parts,
  };
  const model = fitModel(measured.runs, { vulkanUs: 9.5, partnerUs: 5 });
  const whole = { ...measured, model };
  return { ...whole, findings: findingsOf(whole), handoff: handoffOf(whole), checks: checksOf(whole) };
}

export function seamReport(...devices: SeamDeviceReport[]): SeamReport {
  const all = devices.length > 0 ? devices : [deviceReport()];
  return {
    version: 1,
    takenAt: '2026-01-02T03:04:05.000Z',
    passed: all.every(({ checks }) => checks.every(({ ok }) => ok)),
    verdict: verdictOf(all),
    settings: {},
    frames: 400,
    seconds: 12.34,
    ...all[0]!,
    devices: all,
    notTested: [],
  };
}
