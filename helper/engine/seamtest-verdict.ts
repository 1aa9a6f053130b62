/** The report in a few plain sentences: what holds, what does not and what to do then. Pure. */
import { outcomeNames } from '../protocol/seam-words';
import type { SeamCheck, SeamDeviceReport, SeamVerdict } from '../protocol/seamtest';

type Judged = Pick<SeamDeviceReport, 'device' | 'runs' | 'controls' | 'teardown' | 'checks'>;

/** What a check that fails means, and what to do; by the first word of its name. */
const FAILURES: Record<string, { means: string; nextStep: string }> = {
  runs: {
    means: 'a run could not be made',
    nextStep: 'Read the message of the run that failed, run the doctor, then test this device alone.',
  },
  framesWrong: {
    means: 'the consumer read frames that were not the newest',
    nextStep: 'Do not trust this way of synchronising with this driver: use the fence mode, or update the driver.',
  },
  hostCopies: { means: 'frames went through host memory', nextStep: 'Look which call copied: the path is not zero-copy here.' },
  fdGrowth: {
    means: 'file descriptors were left open while frames ran',
    nextStep: 'A driver that does not take over an imported descriptor leaks one each time: update it, and import once, never per frame.',
  },
  importsPerFrame: { means: 'memory or semaphores were imported again for frames', nextStep: 'Import once per slot and keep the import.' },
  leftovers: {
    means: 'handles or descriptors were left after the teardown',
    nextStep: 'Report it with this report: something of the test or the driver leaks.',
  },
  control: {
    means: 'a fault that was made on purpose was not noticed',
    nextStep: 'Take none of the zeros of this report at face value, and report it: a counter is asleep.',
  },
  documented: {
    means: 'freeing in the documented order did not go cleanly',
    nextStep: 'Look for Xid messages of the driver in the kernel log (dmesg), then update the driver.',
  },
  inverted: {
    means: 'freeing in the wrong order was not predicted every time',
    nextStep: 'Report it with this report: the ledger missed a violation.',
  },
  copies: {
    means: 'copies between GPUs gave wrong words or were not possible',
    nextStep: 'Check the links with "nvidia-smi topo -p2p r" and the kernel log.',
  },
};
const UNKNOWN = { means: 'a check does not hold', nextStep: 'Read its message.' };

export function verdictOf(devices: Judged[], across?: SeamCheck, notes: string[] = []): SeamVerdict {
  const failed = [...devices.flatMap(({ checks }) => checks), ...(across ? [across] : [])].filter(({ ok }) => !ok);
  const causes = failed.map(({ name }) => FAILURES[name.split(' ')[0]!] ?? UNKNOWN);
  return {
    headline: failed.length > 0 ? `Failed: ${[...new Set(causes.map(({ means }) => means))].join(', and ')}.` : passedHeadline(devices),
    sentences: [...failed.map(({ name, message }) => `${name}: ${message.replace(/\.$/, '')}.`), ...devices.flatMap(deviceSentences), ...notes],
    nextSteps: [...new Set(causes.map(({ nextStep }) => nextStep))],
  };
}

function passedHeadline(devices: Judged[]): string {
  const cuda = devices.filter(({ device }) => device.partner === 'cuda');
  if (cuda.length > 0) return 'Passed: frames cross between Vulkan and CUDA without a wrong frame, a host copy or a leaked descriptor.';
  return 'Passed without CUDA: the host stood in for it, because no CUDA device belongs to a Vulkan device here.';
}

function deviceSentences({ device, runs, controls, teardown }: Judged, _: number, { length }: Judged[]): string[] {
  const who = length > 1 ? `${device.name}: ` : '';
  const of = (test: (run: Judged['runs'][number]) => boolean) => runs.filter(test).length;
  const skipped = of((run) => 'skipped' in run);
  const measured = `${who}${of((run) => 'usPerFrame' in run)} of ${runs.length} runs were measured${skipped > 0 ? `, ${skipped} cannot be made here` : ''}.`;
  const tripped = controls.filter(({ result }) => 'tripped' in result && result.tripped).length;
  return [
    measured,
    ...(controls.length > 0 ? [`${tripped} of ${controls.length} faults made on purpose were noticed.`] : []),
    ...wrongOrderSentence(teardown),
  ];
}

/** Owner first, inverted ownership: the order that must be predicted. */
function wrongOrderSentence(teardown: Judged['teardown']): string[] {
  const wrong = teardown.filter(({ order, ownership, outcome }) => order === 'ownerFirst' && ownership === 'inverted' && outcome !== 'skipped');
  if (wrong.length === 0) return [];
  const predicted = wrong.filter((each) => each.predicted.length > 0).length;
  const outcomes = [...new Set(wrong.map(({ outcome }) => outcomeNames[outcome]))].join(', ');
  return [`Freeing the owner first under inverted ownership: predicted ${predicted} of ${wrong.length} times; what this driver did: ${outcomes}.`];
}
