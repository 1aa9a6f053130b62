// Descriptors that came from another process, were given to an import that takes nothing over, and that nobody closes.
import type { Call, Event, Expr, FunctionFacts } from '../facts/index';
import { addressOf, childrenOf, expressionsOf, stripCasts, walk } from '../facts/paths';

export interface KeptOpen {
  readonly importer: Call;
  readonly received: Event;
  readonly name: string;
}

/** Imports that make an object of their own and leave the descriptor to the caller. */
const borrowers =
  /^(cuMemImportFromShareableHandle|cu(da)?MemPoolImportFromShareableHandle|hipMemImportFromShareableHandle|drmPrimeFDToHandle|drmSyncobjFDToHandle|drmSyncobjImportSyncFile)$/;
const receivers = /(recv|receive)\w*(fd|handle|descriptor)|(fd|handle|descriptor)s?_?(recv|receive|from_?(sock|peer|cmsg|msg))|^pidfd_getfd$/i;
const harmless = /^(f?printf|snprintf|perror|assert|fprintf|fstat|fcntl|LOG\w*|log\w*|spdlog\w*|CHECK\w*|isatty|lseek)$/;

export function receivedAndKept(fn: FunctionFacts): KeptOpen[] {
  if (fn.degraded) return [];
  const imports = fn.calls.filter((call) => borrowers.test(call.api?.name ?? call.name));
  if (imports.length === 0) return [];
  return fn.locals.flatMap((local): KeptOpen[] => {
    if (local.isStatic || !/^(const )?(int|auto|int32_t)$/.test(local.type.trim())) return [];
    const received = fn.events.find((event) => isReceived(event, local.name));
    const importer = received && imports.find((call) => call.id > received.id && takes(call, local.name));
    if (!received || !importer || !isDescriptor(importer)) return [];
    return fn.events.some((event) => mayDispose(event, local.name, received)) ? [] : [{ importer, received, name: local.name }];
  });
}

/** `int fd = recv_fd(socket)`, `receive_fd(socket, &fd)`, `memcpy(&fd, CMSG_DATA(c), ...)`, `fd = *(int *)CMSG_DATA(c)`. */
function isReceived(event: Event, name: string): boolean {
  if (event.kind === 'assign' && event.value) {
    const target =
      event.declares?.name ?? (event.target.kind === 'path' && event.target.path.steps.length === 0 ? event.target.path.root : undefined);
    const parts = walk(event.value);
    return target === name && parts.some((part) => part.kind === 'call' && (receivers.test(part.name) || part.name === 'CMSG_DATA'));
  }
  if (event.kind !== 'call' || !event.args.some((arg) => isAddress(arg, name))) return false;
  return (
    receivers.test(event.name) ||
    (event.name === 'memcpy' && event.args.some((arg) => [...walk(arg)].some((part) => part.kind === 'call' && part.name === 'CMSG_DATA')))
  );
}

function isAddress(arg: Expr, name: string): boolean {
  const path = addressOf(arg);
  return path?.root === name && path.steps.length === 0;
}

function takes(call: Call, name: string): boolean {
  return call.args.some((arg) => isName(stripCasts(arg), name) || isAddress(arg, name));
}

function isName(expr: Expr, name: string): boolean {
  return expr.kind === 'path' && expr.path.root === name && expr.path.steps.length === 0;
}

/** Fabric and Win32 handles are no descriptors. */
function isDescriptor(call: Call): boolean {
  if (!/ShareableHandle/.test(call.name)) return true;
  return call.args.some((arg) =>
    [...walk(arg)].some(
      (part) => part.kind === 'path' && /POSIX_FILE_DESCRIPTOR|PosixFileDescriptor/.test(part.path.root + part.path.steps.join('')),
    ),
  );
}

/** Closes it, stores it, returns it, or hands it to somebody who may. */
function mayDispose(event: Event, name: string, received: Event): boolean {
  if (event === received) return false;
  if (event.kind === 'escape') return [...event.paths, ...event.copies].some((path) => path.root === name);
  if (event.kind === 'call') {
    if (borrowers.test(event.api?.name ?? event.name) || harmless.test(event.name) || receivers.test(event.name)) return false;
    return [...(event.receiver ? [event.receiver] : []), ...event.args].some((arg) => hands(arg, name));
  }
  if (event.kind === 'test') return false;
  if (event.kind === 'assign') return event.value !== undefined && hands(event.value, name);
  return expressionsOf(event).some((expr) => hands(expr, name));
}

/** The descriptor itself goes on; calls inside are events of their own, comparisons only look. */
function hands(expr: Expr, name: string): boolean {
  if (expr.kind === 'path') return expr.path.root === name;
  if (expr.kind === 'call' || (expr.kind === 'binary' && /^([=!<>]=?|&&|\|\|)/.test(expr.op))) return false;
  return childrenOf(expr).some((child) => hands(child, name));
}
