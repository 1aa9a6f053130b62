/** What is wrong with a GPU, in a few words. */
import type { ClockLimit } from '../../../../helper/protocol/device-readings';
import type { NvmlGpu } from '../../../../helper/protocol/devices';
import { shortText } from '../../../../helper/protocol/reason-words';
import type { Cell } from './table';

interface Finding {
  level: 'warning' | 'error';
  text: string;
  title: string;
}

/** Limits that slow work down. The others are choices of the user, or an idle GPU. */
const slowing: Partial<Record<ClockLimit, string>> = {
  'power-cap': 'power limit',
  'hardware-slowdown': 'hardware slowdown',
  'software-thermal': 'too hot',
  'hardware-thermal': 'too hot',
  'power-brake': 'power brake',
};

export const limitWords = (limit: ClockLimit): string => slowing[limit] ?? limit.replaceAll('-', ' ');

export function healthFindings({ problems, health, mig }: NvmlGpu): Finding[] {
  const { ecc, clockLimits = [] } = health ?? {};
  const slow = [...new Set(clockLimits.flatMap((limit) => slowing[limit] ?? []))];
  return [
    ...problems.map((reason): Finding => ({ level: 'error', text: shortText(reason), title: `${reason.message} ${reason.nextStep}` })),
    ...finding(
      ecc?.uncorrectedErrors ?? 0,
      'error',
      `${ecc?.uncorrectedErrors} memory errors`,
      'Uncorrected memory errors since the driver was loaded: results may be wrong. Reset the GPU; if they return, have it replaced.',
    ),
    ...finding(slow.length, 'warning', slow.join(', '), `The clocks are held down: ${slow.join(', ')}.`),
    ...finding(
      Number(mig.current !== mig.pending),
      'warning',
      `MIG ${onOff(mig.pending)} after reset`,
      `MIG mode is ${onOff(mig.current)} and will be ${onOff(mig.pending)} after the next reset of the GPU.`,
    ),
    ...finding(
      Number(ecc?.pending !== undefined && ecc.pending !== ecc.enabled),
      'warning',
      `ECC ${onOff(ecc?.pending)} after reset`,
      'The ECC mode changes with the next reset of the GPU.',
    ),
  ];
}

export function healthCell(gpu: NvmlGpu): Cell {
  const found = healthFindings(gpu);
  const [worst] = found.toSorted((a, b) => Number(b.level === 'error') - Number(a.level === 'error'));
  if (!worst) return { text: 'ok', sort: 0, level: 'good' };
  const rest = found.length > 1 ? ` +${found.length - 1}` : '';
  return {
    text: `${worst.text}${rest}`,
    sort: worst.level === 'error' ? 2 : 1,
    level: worst.level,
    title: found.map(({ title }) => title).join(' '),
  };
}

function finding(count: number, level: Finding['level'], text: string, title: string): Finding[] {
  return count > 0 ? [{ level, text, title }] : [];
}

const onOff = (value: boolean | undefined): string => (value ? 'on' : 'off');
