/** The hand-off list: what the next person needs to know about the seam that was just proven. Pure. */
import type { SeamDeviceReport, SeamHandoff, SeamMeasurement } from '../protocol/seamtest';

type Proven = Pick<SeamDeviceReport, 'device' | 'runs' | 'controls' | 'teardown' | 'costs' | 'model'>;

export function handoffOf(report: Proven): SeamHandoff {
  const cuda = report.device.partner === 'cuda';
  const partner = cuda ? 'CUDA' : 'the host (a second Vulkan device, mapped)';
  return {
    interopPath: [
      `Memory, exporter-owned: Vulkan allocates with VkExportMemoryAllocateInfo, vkGetMemoryFdKHR gives an opaque fd, ${cuda ? 'cuImportExternalMemory adopts it' : 'a second device adopts it by vkAllocateMemory'}.`,
      `Memory, inverted: ${cuda ? 'CUDA allocates by cuMemCreate, cuMemExportToShareableHandle gives the fd' : 'the second device allocates and exports'}, vkAllocateMemory adopts it.`,
      report.device.timelineExport && cuda
        ? 'Semaphores: two Vulkan timelines, "ready" and "released", exported by vkGetSemaphoreFdKHR and adopted by cuImportExternalSemaphore.'
        : 'Semaphores: none can be shared here; the host waits for a fence and starts the other side.',
    ],
    transferPoints: [
      'An fd belongs to whoever exported it until one import call succeeds, which consumes it. On failure it is still ours and is closed.',
      'Between processes SCM_RIGHTS duplicates it: the sender closes its copy right after sending, the receiver owns the new one.',
      ...report.costs
        .filter(({ kind }) => kind.endsWith('Import'))
        .map(({ call, p50Us, count }) => `${call}: ${p50Us.toFixed(1)} us (median of ${count}).`),
    ],
    freeOrder: [
      'Both sides idle first.',
      `Exporter-owned: views, then imports of ${partner}, then Vulkan's buffers and images, then their memory, then the timelines, then the device.`,
      "Inverted: Vulkan's buffers and imports first, then the allocation that they look into.",
    ],
    buffering: bufferingOf(report),
    toleratedAsymmetries: [
      'A slot is written again only after its reader has released it: with one slot the two sides take turns.',
      'A reader derives its slot from the one write index of the producer. A skipped frame leaves the index untouched, so that the last good frame stays visible.',
    ],
    runsOnDevice: cuda
      ? ['Writing and checking of frames, both directions; waits and signals in the timeline mode.']
      : ["Vulkan's writing and checking of frames."],
    runsOnHost: [
      'Enqueueing; in the fence mode the waits.',
      ...(cuda ? [] : ["The partner's writing and checking, in place."]),
      'Results are read back once, after the last frame.',
    ],
    evidence: evidenceOf(report),
  };
}

function bufferingOf({ model }: Proven): string[] {
  const ring = 'A ring of slots with one write index, owned by the producer.';
  return model ? [ring, ...model.words] : [ring];
}

function evidenceOf({ runs, controls, teardown }: Proven): string[] {
  const measured = runs.filter((run): run is typeof run & SeamMeasurement => 'usPerFrame' in run);
  const total = (value: (run: SeamMeasurement) => number) => measured.reduce((sum, run) => sum + value(run), 0);
  const frames = measured.reduce((sum, run) => sum + run.frames, 0);
  return [
    `${frames} frames in ${measured.length} runs: ${total((run) => run.framesWrong)} wrong, ${total((run) => run.hostCopies)} host copies, fd growth ${total((run) => run.fdGrowth)}.`,
    ...controls.map(({ name, result }) =>
      'failed' in result
        ? `Control ${name}: ${result.failed.message}`
        : `Control ${name}: ${result.counter} ${result.counted}, ${result.tripped ? 'tripped' : 'NOT tripped'}.`,
    ),
    ...teardown.map(
      ({ order, ownership, repetition, predicted, outcome, detail }) =>
        `Teardown ${order}, ${ownership}, ${repetition}: predicted ${predicted.length === 0 ? 'clean' : `${predicted.length} violation(s)`}; found ${outcome}. ${detail}`,
    ),
  ];
}
