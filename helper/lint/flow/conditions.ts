// What a branch asks, so that the same question asked twice is known again.
import type { Expr } from '../facts/index';
import { stripCasts } from '../facts/paths';

export interface Condition {
  readonly text: string;
  /** The test asks for the opposite: `a != b` is `a == b` turned round. */
  readonly isTurned: boolean;
}

/** How a test is remembered, so that the same question in other words is known again. */
export function conditionOf(expr: Expr, source: (of: Expr) => string): Condition {
  const bare = stripCasts(expr);
  if (bare.kind !== 'binary' || bare.op !== '!=') return { text: source(expr), isTurned: false };
  return { text: `${source(bare.left)} == ${source(bare.right)}`, isTurned: true };
}

/** True when what is asked reads what a key names: `n` of `n == 0`, `frame.fd` of `frame->fd < 0`. */
export function asksAbout(text: string, key: string): boolean {
  const name = key.replace(/^this\./, '');
  const asked = text.replaceAll('->', '.').replaceAll('this.', '');
  for (let at = asked.indexOf(name); at >= 0; at = asked.indexOf(name, at + 1))
    if (!/[\w.]/.test(asked[at - 1] ?? '') && !/\w/.test(asked[at + name.length] ?? '')) return true;
  return false;
}
