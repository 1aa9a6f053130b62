// Python: descriptors that a function exports or duplicates, and that surely nobody closes.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, pathOf, samePath, walk } from '../facts/paths';
import { returnsWithout } from '../flow/order';
import { resolveCallee } from '../flow/program';

const exporters =
  /(^|\.)(cuMemExportToShareableHandle|cuMemGetHandleForAddressRange|cudaMemPoolExportToShareableHandle|cuMemPoolExportToShareableHandle)$/;

/** The calls whose descriptor no way out of the function closes, keeps or hands on. */
export function pythonFdLeaks(file: FileFacts, fn: FunctionFacts): Call[] {
  if (fn.degraded || fn.kind === 'module') return [];
  return fn.calls.filter((call) => makesFd(file, call) && isLost(file, call));
}

function makesFd(file: FileFacts, call: Call): boolean {
  if (call.callee === 'os.dup' || isReceived(call)) return true;
  if (!exporters.test(call.callee)) return false;
  const text = call.args.map((arg) => file.source(arg)).join();
  // Fabric handles and Win32 handles are no descriptors.
  return !/FABRIC|WIN32/i.test(text) && (/POSIX|FILE_DESCRIPTOR|DMA_BUF/i.test(text) || constantIsFd(file, call));
}

/** `fd = recv_fd(sock)` beside an import that leaves the descriptor to the caller. */
function isReceived({ name, fn }: Call): boolean {
  return /(recv|receive)_?(fd|handle)$|^pidfd_getfd$/.test(name) && fn.calls.some((call) => /MemImportFromShareableHandle$/.test(call.name));
}

/** `HANDLE_TYPE = ...POSIX_FILE_DESCRIPTOR` of the module. */
function constantIsFd(file: FileFacts, call: Call): boolean {
  const names = call.args.flatMap((arg) => pathOf(arg)?.root ?? []);
  return file.functions.some(
    (fn) =>
      fn.kind === 'module' &&
      fn.events.some((event) => {
        const target = event.kind === 'assign' ? pathOf(event.target) : undefined;
        return (
          event.kind === 'assign' &&
          event.value !== undefined &&
          target !== undefined &&
          names.includes(target.root) &&
          /POSIX_FILE_DESCRIPTOR/.test(file.source(event.value))
        );
      }),
  );
}

/** The name it goes to, through `int(...)`, checks and unpacking. */
function isLost(file: FileFacts, made: Call): boolean {
  const { fn } = made;
  // `error, fd = f()` is an assignment for each.
  const assigned = fn.events.findLast(
    (event) => event.kind === 'assign' && event.op === '=' && event.value !== undefined && comesFrom(event.value, made),
  );
  const paths = assigned?.kind === 'assign' ? namesIn(assigned.target) : [];
  if (!assigned || paths.length === 0 || !paths.every((path) => path.kind === 'local' && path.steps.length === 0)) return false;
  const names = copiesOf(fn, paths);
  if (fn.events.some((event) => event !== assigned && mayKeep(file, event, names))) return false;
  return returnsWithout(assigned, () => false);
}

/** `int(check(f()))`, `f()[1]`, `check(f())`. */
function comesFrom(value: Expr, made: Call): boolean {
  return [...walk(value)].includes(made);
}

function namesIn(target: Expr): Path[] {
  if (target.kind === 'init') return target.entries.flatMap(({ value }) => namesIn(value));
  const path = pathOf(target);
  return path ? [path] : [];
}

function copiesOf(fn: FunctionFacts, paths: readonly Path[]): Path[] {
  const names = [...paths];
  for (const event of fn.events) {
    if (event.kind !== 'assign' || !event.value || event.value.kind === 'binary') continue;
    const target = pathOf(event.target);
    if (target?.kind === 'local' && target.steps.length === 0 && has(event.value, names) && !names.some((name) => samePath(name, target)))
      names.push(target);
  }
  return names;
}

/** Calls that look at a descriptor or send a copy of it, and leave it open. */
const borrowers =
  /^(sendmsg|send_fds|sendmsg_afalg|array|fstat|print|int|str|repr|len|isinstance|format|debug|info|warning|error|log|DupFd|duplicate|send_handle|get_inheritable|set_inheritable|check|_check|checkCudaErrors|check_cuda|ASSERT_DRV|CHECK_DRV|pack|to_bytes|cuMemImportFromShareableHandle|fcntl)$/;

/** Closes it, keeps it where it outlives the function, hands it on, or asks for it. */
function mayKeep(file: FileFacts, event: Event, names: readonly Path[]): boolean {
  switch (event.kind) {
    case 'call':
      return callKeeps(file, event, names, 3);
    case 'return':
    case 'throw':
      return event.value !== undefined && isHandedBack(event.value, names);
    case 'assign': {
      const target = pathOf(event.target);
      const isKept = target?.kind !== 'local' || target.steps.length > 0;
      return isKept && event.value !== undefined && has(event.value, names);
    }
    case 'escape':
      return [...event.paths, ...event.copies].some((path) => names.some((name) => name.root === path.root));
    case 'scopeBegin':
    case 'access':
      return expressionsOf(event).some((expr) => has(expr, names));
    default:
      return false;
  }
}

/** The descriptor, or something that is made of it; not what a look at it tells. */
function isHandedBack(value: Expr, names: readonly Path[]): boolean {
  if (value.kind === 'call' && borrowers.test(value.name)) return false;
  return value.kind === 'member' ? isHandedBack(value.object, names) : has(value, names);
}

function callKeeps(file: FileFacts, call: Call, names: readonly Path[], depth: number): boolean {
  const given = [...call.args, ...call.keywords.values()].map((arg) => has(arg, names));
  if (!given.includes(true)) return call.receiver !== undefined && has(call.receiver, names);
  if (borrowers.test(call.name)) return false;
  const callee = depth > 0 ? resolveCallee(file, call) : undefined;
  if (!callee || callee.degraded || call.keywords.size > 0) return true;
  const own = callee.className ? callee.params.slice(1) : callee.params;
  return call.args.some((_, i) => given[i] && paramKept(file, callee, own[i]?.name, depth - 1));
}

function paramKept(file: FileFacts, fn: FunctionFacts, name: string | undefined, depth: number): boolean {
  if (name === undefined) return true;
  const names = copiesOf(fn, [{ root: name, kind: 'param', steps: [] }]);
  return fn.events.some((event) => (event.kind === 'call' ? callKeeps(file, event, names, depth) : mayKeep(file, event, names)));
}

function has(expr: Expr, names: readonly Path[]): boolean {
  return [...walk(expr)].some((part) => part.kind === 'path' && names.some((name) => name.root === part.path.root));
}
