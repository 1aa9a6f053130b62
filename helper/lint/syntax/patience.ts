// How long the parser may compute over a text. Healthy code takes it half a millisecond per KiB; what is half typed or no code at all may take it
// minutes, since it follows many readings at once.

/** In milliseconds of computing. */
export interface Patience {
  readonly base: number;
  readonly perKiB: number;
}

/** Somebody waits before an editor. */
export const interactive: Patience = { base: 2000, perKiB: 4 };
/** Nobody types while the command line runs. */
export const thorough: Patience = { base: 10_000, perKiB: 10 };

/** For the next version of a text that the parser has just given up: what was mended parses at once, and what was not must not cost every key. */
export function withLessOf({ base, perKiB }: Patience): Patience {
  return { base: base / 8, perKiB: perKiB / 2 };
}

function computedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** How much memory the parser's module may have grown to by a text, in bytes: sound code takes about a hundred bytes a character. It never shrinks. */
export function memoryFor(length: number): number {
  return 128 * 2 ** 20 + 256 * length;
}

/** What is read sooner is not measured: asking what was computed takes as long as reading a small text. */
const unmeasuredMs = 20;

/** True as soon as both the time and what this process has computed in it are used up: a busy machine makes no text hard. */
export function exhaustion({ base, perKiB }: Patience, length: number): () => boolean {
  const budget = base + (perKiB * length) / 1024;
  const begin = performance.now();
  let computed: number | undefined;
  return () => {
    const spent = performance.now() - begin;
    if (spent < Math.min(unmeasuredMs, budget)) return false;
    computed ??= computedMs() + Math.max(0, budget - unmeasuredMs);
    return spent >= budget && computedMs() >= computed;
  };
}
