// Waits that give up after a while, and code that takes that for success.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { childrenOf, expressionsOf, pathOf, samePath, stripCasts, symbolOf } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { resolveCallee } from '../flow/program';

export interface GivenUp {
  readonly wait: Call;
  /** The test, or the wait where nothing looks. */
  readonly at: Event;
  /** What the wait returns when the time is up. */
  readonly told: string;
  /** Nothing looks at the result, or only a test that time-outs pass. */
  readonly how: 'ignored' | 'passes';
}

interface TimedWait {
  /** Index of the argument with the time. */
  readonly time: number;
  readonly told: string;
  /** Units per second; 0 where a time is a point in time. */
  readonly second: number;
  /** How a test looks that a time-out passes: a comparison of the result with a constant, or its truth. */
  readonly passes: (test: ResultTest) => boolean;
}

/** `op` and constant that the result is compared with; `call` where a function judges it. */
interface ResultTest {
  readonly op: string;
  readonly with: string | undefined;
  readonly call: string | undefined;
  readonly at: Event;
}

const negative: TimedWait['passes'] = ({ op, with: than, call }) =>
  !call && (((op === '<' || op === '>=') && /^(0|VK_SUCCESS|S_OK)$/.test(than ?? '')) || (/^[=!]=$/.test(op) && /^VK_ERROR_/.test(than ?? '')));
const hresult: TimedWait['passes'] = (test) =>
  negative(test) || /^(FAILED|SUCCEEDED|ThrowIfFailed|THROW_IF_FAILED|RETURN_IF_FAILED|check_hresult|LOG_IF_FAILED)$/.test(test.call ?? '');
const only =
  (...names: readonly string[]): TimedWait['passes'] =>
  ({ op, with: than, call }) =>
    !call && (op === 'truth' ? names.includes('0') : /^[=!]=$/.test(op) && names.includes(than ?? ''));

const waits: Readonly<Record<string, TimedWait>> = {
  vkWaitForFences: { time: 4, told: 'VK_TIMEOUT', second: 1e9, passes: negative },
  vkWaitSemaphores: { time: 2, told: 'VK_TIMEOUT', second: 1e9, passes: negative },
  eglClientWaitSync: { time: 3, told: 'EGL_TIMEOUT_EXPIRED', second: 1e9, passes: only('EGL_FALSE', '0', 'EGL_NONE') },
  glClientWaitSync: { time: 2, told: 'GL_TIMEOUT_EXPIRED', second: 1e9, passes: only('GL_WAIT_FAILED', '0') },
  AcquireSync: { time: 1, told: 'WAIT_TIMEOUT', second: 1e3, passes: hresult },
  WaitForSingleObject: { time: 1, told: 'WAIT_TIMEOUT', second: 1e3, passes: only('WAIT_FAILED', 'WAIT_ABANDONED') },
};

/** Waits with an end of a function whose end is taken for success. */
export function givenUpWaits(file: FileFacts, fn: FunctionFacts): GivenUp[] {
  return fn.calls.flatMap((wait): GivenUp[] => {
    const known = timedWait(file, wait);
    if (!known || !hasEnd(file, wait, known)) return [];
    const { told } = known;
    const tests = testsOf(file, wait);
    // In a variable of the class or the caller others may look at it.
    const isDropped = tests.length === 0 && (!wait.result || wait.result.kind === 'local');
    if (isDropped)
      return isShort(file, wait, known) && isFollowed(wait) && !isAside(file, wait, known) ? [{ wait, at: wait, told, how: 'ignored' }] : [];
    return tests.length > 0 && tests.every((test) => test !== undefined && known.passes(test))
      ? [{ wait, at: tests[0]!.at, told, how: 'passes' }]
      : [];
  });
}

function timedWait(file: FileFacts, call: Call): TimedWait | undefined {
  const name = call.api?.name ?? call.name;
  const known = Object.hasOwn(waits, name) ? waits[name] : undefined;
  if (name === 'AcquireSync') return call.receiver && call.args.length === 2 ? known : undefined;
  // Threads and processes are waited for with an end for good reasons.
  if (name === 'WaitForSingleObject')
    return /fence|frame|event|gpu|sem|sync/i.test(call.args[0] ? file.source(call.args[0]) : '') ? known : undefined;
  return known;
}

function timeOf(call: Call, { time }: TimedWait): Expr | undefined {
  return call.api?.spelling === 'hpp' ? (call.api.arg('timeout') ?? call.args.at(-1)) : call.args[time];
}

/** A number, or a constant of the file that is one. */
function numberAt(file: FileFacts, at: Event, expr: Expr | undefined, depth = 3): number | undefined {
  const known = expr && valueAt(at, stripCasts(expr));
  if (!known || known === 'zero') return known === 'zero' ? 0 : undefined;
  const bare = stripCasts(known);
  if (bare.kind === 'number') return bare.value;
  if (bare.kind === 'binary' && bare.op === '*') {
    const [left, right] = [numberAt(file, at, bare.left, depth), numberAt(file, at, bare.right, depth)];
    return left !== undefined && right !== undefined ? left * right : undefined;
  }
  const name = bare.kind === 'path' && depth > 0 ? symbolOf(bare) : undefined;
  if (name === undefined) return undefined;
  const owner = at.fn.className ? file.classNamed(at.fn.className) : undefined;
  const constant = file.globalNamed(name) ?? owner?.fields.find((each) => each.name === name && /\bconst(expr)?\b/.test(each.type));
  if (constant?.init) return numberAt(file, at, constant.init, depth - 1);
  const defined = file.directives.find((each) => each.kind === 'define' && each.name === name)?.body.trim();
  return defined !== undefined && /^\(?\d+(u|l)*\)?$/i.test(defined) ? Number.parseInt(defined.replace('(', ''), 10) : undefined;
}

/** 2^31 and more milliseconds, 2^63 nanoseconds: for ever. */
function hasEnd(file: FileFacts, call: Call, wait: TimedWait): boolean {
  const written = timeOf(call, wait);
  const time = numberAt(file, call, written);
  if (time !== undefined) return time >= 0 && time < (wait.second === 1e3 ? 2 ** 31 : 2 ** 62);
  const path = pathOf(written);
  return path?.kind === 'param' && /time_?out|wait_?ms/i.test(path.root);
}

/** What takes a second never happens in a frame: there the time is an alarm and not a plan. */
function isShort(file: FileFacts, call: Call, wait: TimedWait): boolean {
  const time = numberAt(file, call, timeOf(call, wait));
  return time !== undefined && time < wait.second;
}

/** A flush by way of a wait that does not wait, or one more wait for what another wait of the function asks for. */
function isAside(file: FileFacts, wait: Call, known: TimedWait): boolean {
  const isFlush = numberAt(file, wait, timeOf(wait, known)) === 0 && wait.args.some((arg) => /FLUSH_COMMANDS/.test(symbolOf(arg) ?? ''));
  const what = (call: Call) => {
    const awaited = call.api?.arg('sync') ?? call.api?.arg('fence') ?? call.api?.arg('info') ?? call.receiver ?? call.args[0];
    return awaited && file.source(awaited);
  };
  return isFlush || wait.fn.calls.some((call) => call !== wait && timedWait(file, call) !== undefined && what(call) === what(wait));
}

/** Something is done behind the wait, and it is no loop that asks again. */
function isFollowed(wait: Call): boolean {
  return wait.fn.calls.some(
    (call) => call.id > wait.id && !/^(vkResetFences|glDeleteSync|eglDestroySync|resetFences|f?printf)$/.test(call.api?.name ?? call.name),
  );
}

/** How the code looks at the result: undefined for a look that nobody can judge. */
function testsOf(file: FileFacts, wait: Call): (ResultTest | undefined)[] {
  if (wait.check) return [{ op: '', with: undefined, call: wait.check.name, at: wait }];
  const name = wait.result;
  const after = wait.fn.events.filter((event) => event !== wait && event.id >= wait.id);
  const stop = after.findIndex(
    (event) => event.kind === 'assign' && name !== undefined && samePath(pathOf(event.target), name) && event.value !== wait,
  );
  return after.slice(0, stop < 0 ? undefined : stop).flatMap((event) =>
    // A call inside something bigger comes again with it.
    expressionsOf(event).flatMap((root) => (event.kind === 'assign' && root === event.target ? [] : looksAt(file, event, root, wait, name))),
  );
}

function looksAt(file: FileFacts, event: Event, root: Expr, wait: Call, name: Path | undefined): (ResultTest | undefined)[] {
  const isResult = (expr: Expr) => expr === wait || (name !== undefined && expr.kind === 'path' && samePath(expr.path, name));
  const found: (ResultTest | undefined)[] = [];
  const visit = (expr: Expr, parents: readonly Expr[]): void => {
    if (isResult(expr)) found.push(...judge(file, event, expr, parents));
    else for (const child of childrenOf(expr)) visit(child, [expr, ...parents]);
  };
  if (event.kind === 'assign' && root === wait) return [];
  visit(root, []);
  return found;
}

function judge(file: FileFacts, event: Event, expr: Expr, parents: readonly Expr[]): (ResultTest | undefined)[] {
  const meaning = parents.find((each) => each.kind !== 'cast');
  if (meaning?.kind === 'binary') {
    const other = stripCasts(meaning.left) === expr ? meaning.right : meaning.left;
    const than = other.kind === 'number' ? String(other.value) : symbolOf(other);
    return [{ op: meaning.op, with: than, call: undefined, at: event }];
  }
  if (meaning?.kind === 'call') return byCall(file, event, meaning);
  // `(void)wait(...)`
  if (meaning === undefined && event.kind === 'access') return [];
  if (event.kind === 'test' && (meaning === undefined || (meaning.kind === 'unary' && meaning.op === '!')))
    return [{ op: 'truth', with: undefined, call: undefined, at: event }];
  return [undefined];
}

/** A function judges the result, or shows it. */
function byCall(file: FileFacts, event: Event, call: Call): (ResultTest | undefined)[] {
  if (/^(f?printf|snprintf|fmt|log\w*|to_string|_com_error|hex|what|error|warn\w*)$/i.test(call.name)) return [];
  // Once, where the call is an event of its own.
  if (event !== call && event.kind === 'call') return [];
  const isOwn = resolveCallee(file, call) !== undefined && !/FAILED/i.test(call.name);
  return [{ op: '', with: undefined, call: isOwn ? 'own' : call.name, at: event }];
}
