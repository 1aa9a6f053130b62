// A failed call writes none of its outputs: whoever asks the descriptor instead of the status sees what was there before.
import type { Call, Event, Expr, FunctionFacts, Path, Test } from '../facts/index';
import { expressionsOf, mentions, pathOf, samePath, stripCasts } from '../facts/paths';
import { dominates } from '../flow/order';
import { hasStatus } from '../knowledge/index';

export interface AskedOutput {
  readonly call: Call;
  readonly test: Test;
  readonly path: Path;
}

export function askedOutputs(fn: FunctionFacts): AskedOutput[] {
  return fn.calls.flatMap((call) => {
    const { api } = call;
    const path = api?.api.params.some((param) => param.out && param.name === 'fd') ? api.path('fd') : undefined;
    if (!api || !path || !hasStatus(api.api) || !isPlain(path) || isAsked(call) || startsNegative(call, path)) return [];
    const test = fn.events.find((event): event is Test => event.kind === 'test' && dominates(call, event) && asksSign(event.expr, path));
    return test ? [{ call, test, path }] : [];
  });
}

/** What lies in objects and arrays may have been set to -1 elsewhere. */
function isPlain({ kind, steps }: Path): boolean {
  return (kind === 'local' || kind === 'param') && steps.every((step) => step === '*');
}

/** `fd < 0`, `fd == -1` and their opposites. */
function asksSign(expr: Expr, path: Path): boolean {
  const bare = stripCasts(expr);
  if (bare.kind === 'unary' && bare.op === '!') return asksSign(bare.operand, path);
  if (bare.kind !== 'binary' || !isSame(pathOf(stripCasts(bare.left)), path)) return false;
  const right = stripCasts(bare.right);
  return right.kind === 'number' && ((/^(<|>=)$/.test(bare.op) && right.value === 0) || (/^([=!]=|>|<=)$/.test(bare.op) && right.value === -1));
}

/** `*fd` of the parameter `fd` that the call was given. */
function isSame(a: Path | undefined, b: Path): boolean {
  const plain = (path: Path): Path => ({ ...path, steps: path.steps.filter((step) => step !== '*') });
  return a !== undefined && samePath(plain(a), plain(b));
}

/** Its status decides something, or leaves the function, before another one takes its name. */
function isAsked(call: Call): boolean {
  if (call.use === 'ignored' && !call.check) return false;
  const { result } = call;
  if (!result || call.check) return true;
  for (const event of call.fn.events) {
    if (event.id <= call.id || (event.kind === 'assign' && event.value === call)) continue;
    if (event.kind === 'assign' && samePath(pathOf(event.target), result)) return false;
    if (isTalk(event)) continue;
    if (expressionsOf(event).some((expr) => mentions(expr, result))) return true;
  }
  return false;
}

function isTalk(event: Event): boolean {
  return event.kind === 'call' && /GetError(Name|String)$|print|log|warn|trace|debug|info/i.test(event.name);
}

/** `int fd = -1;`: then a failed call leaves a number that tells it. */
function startsNegative(call: Call, path: Path): boolean {
  return call.fn.events.some((event) => {
    if (event.kind !== 'assign' || event.id > call.id || !event.value || !isSame(pathOf(event.target), path)) return false;
    const value = stripCasts(event.value);
    return value.kind !== 'number' || value.value < 0;
  });
}
