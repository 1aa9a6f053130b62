// Patterns of paths, as in .gitignore: `third_party/**`, `*.generated.cu`, `build/`, `!src/kept.cpp`.

/** Says of a path, relative and with `/`, whether the patterns match it; a later pattern overrides an earlier one. */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const parsed = patterns.map((pattern) => {
    const negated = pattern.startsWith('!');
    return { negated, matches: matcherOf(negated ? pattern.slice(1) : pattern) };
  });
  return (path) => {
    let matched = false;
    for (const { negated, matches } of parsed) if (matches(path)) matched = !negated;
    return matched;
  };
}

/** A pattern without a slash inside matches at any depth; everything below a matched folder is matched. */
function matcherOf(pattern: string): (path: string) => boolean {
  const bare = pattern.replace(/^\.?\//, '').replace(/\/+$/, '');
  const anchored = bare.includes('/') || /^\.?\//.test(pattern);
  return runner(stepsOf(anchored ? bare : `**/${bare}`));
}

/** Takes one character that passes, and goes on to the next step, or goes on without one to any of several. The end is the step behind the last. */
interface Step {
  readonly takes: ((c: string) => boolean) | undefined;
  readonly next: number[];
}

const anything = () => true;
const slash = (c: string) => c === '/';
const noSlash = (c: string) => c !== '/';

/** Not a regular expression: those of JavaScript take ages for `*a*a*a*a`. */
class Steps {
  readonly all: Step[] = [];
  /** Of braces that are open: where their alternatives begin, and where those end that have ended. */
  #choice: { readonly fork: Step; readonly ends: Step[] } | undefined;

  /** @param ahead how many steps from this one the next ones are */
  add(takes: Step['takes'], ...ahead: number[]): Step {
    const step = { takes, next: ahead.map((by) => this.all.length + by) };
    this.all.push(step);
    return step;
  }

  /** As many characters as pass. */
  run(takes: Step['takes']): void {
    this.add(undefined, 1, 2);
    this.add(takes, -1);
  }

  folders(): void {
    this.add(undefined, 1, 4);
    this.run(anything);
    this.add(slash, 1);
  }

  /** @returns false for a character that is about no braces here */
  choose(part: string): boolean {
    if (part === '{') this.#choice = { fork: this.add(undefined, 1), ends: [] };
    else if (!this.#choice || !/[,}]/.test(part)) return false;
    else if (part === ',') {
      this.#choice.ends.push(this.add(undefined));
      this.#choice.fork.next.push(this.all.length);
    } else {
      for (const { next } of this.#choice.ends) next.push(this.all.length);
      this.#choice = undefined;
    }
    return true;
  }
}

/** Braces that do not pair are taken as they are. */
function stepsOf(glob: string): readonly Step[] {
  const steps = new Steps();
  const braces = /^[^{}]*(?:\{[^{}]*\}[^{}]*)*$/.test(glob);
  for (const [part] of glob.matchAll(/\*\*\/|\*\*|\*|\?|\[[^\]/]+\]|[\s\S]/g)) {
    if (part === '**/') steps.folders();
    else if (part === '**' || part === '*') steps.run(part === '*' ? noSlash : anything);
    else if (part === '?') steps.add(noSlash, 1);
    else if (part.length > 1) steps.add(classOf(part), 1);
    else if (!braces || !steps.choose(part)) steps.add((c) => c === part, 1);
  }
  return steps.all;
}

/** `[a-z]`, `[!a-z]`; one that is none, such as `[z-a]`, passes nothing. */
function classOf(written: string): (c: string) => boolean {
  try {
    const regex = new RegExp(`^${written.replace(/^\[!/, '[^').replace(/\\/g, '\\\\')}$`);
    return (c) => c !== '/' && regex.test(c);
  } catch {
    return () => false;
  }
}

/** Goes all ways at once, so that a path is read once. */
function runner(steps: readonly Step[]): (path: string) => boolean {
  const end = steps.length;
  const reached = Array.from({ length: end + 1 }, (_, at) => reachedFrom(steps, at));
  /** At which character, counted over all paths, a step was reached last. */
  const seen = new Float64Array(end + 1);
  let time = 0;
  const behind = (now: readonly number[], c: string) => {
    const then: number[] = [];
    time++;
    for (const at of now) {
      if (at === end || !steps[at]!.takes!(c)) continue;
      for (const to of reached[steps[at]!.next[0]!]!) {
        if (seen[to] !== time) then.push(to);
        seen[to] = time;
      }
    }
    return then;
  };
  return (path) => {
    let now = reached[0]!;
    for (const c of path) {
      if (now.length === 0 || (c === '/' && now.includes(end))) break;
      now = behind(now, c);
    }
    return now.includes(end);
  };
}

/** The steps that take a character, and the end, which a step leads to without one. */
function reachedFrom(steps: readonly Step[], at: number): readonly number[] {
  const found = new Set([at]);
  // What is added to a set while it is gone through is come to as well.
  for (const each of found) if (steps[each]?.takes === undefined) for (const next of steps[each]?.next ?? []) found.add(next);
  return [...found].filter((each) => each === steps.length || steps[each]!.takes !== undefined);
}
