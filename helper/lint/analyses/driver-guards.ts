// A destructor that asks first whether the driver still stands, and frees only when it does.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Test } from '../facts/index';
import { pathOf, samePath, walk } from '../facts/paths';
import { dominates } from '../flow/order';
import { resolveCallee } from '../flow/program';
import type { Freed } from './releases';

/** The call that frees, or the destructor's way to it, is guarded; or nobody can tell, since the function around it did not parse. */
export function isGuarded(file: FileFacts, { call, site }: Freed): boolean {
  return [call, site].some((each) => each !== undefined && (each.fn.degraded !== undefined || knowsTheDriverIsGone(each.fn) || isAsked(file, each)));
}

const gone = /Unloading|DEINITIALIZED|exiting|shutting_?down|_?alive$|is_?alive|torn_?down|is_?shut_?down/i;

/** `cudaErrorCudartUnloading`, `g_shutting_down`, `driverIsAlive()`: the function minds the end of the process. */
function knowsTheDriverIsGone(fn: FunctionFacts): boolean {
  return fn.events.some((event) =>
    partsOf(event).some((part) =>
      [...walk(part)].some(
        (inner) =>
          (inner.kind === 'path' && gone.test(inner.path.root + inner.path.steps.join(''))) || (inner.kind === 'call' && gone.test(inner.name)),
      ),
    ),
  );
}

function partsOf(event: Event): readonly Expr[] {
  if (event.kind === 'test') return [event.expr];
  if (event.kind === 'assign') return event.value ? [event.value] : [];
  return event.kind === 'call' ? event.args : [];
}

/** Calls that change nothing and fail when the driver or the context is gone. */
const probes =
  /^((cuda|hip)(GetDevice|GetDeviceCount|RuntimeGetVersion|DriverGetVersion|PointerGetAttributes|PeekAtLastError|SetDevice|StreamQuery|DeviceSynchronize)|cu(CtxGetCurrent|CtxGetDevice|CtxSetCurrent|CtxPushCurrent|CtxGetApiVersion|DriverGetVersion|DeviceGetCount|PointerGetAttribute|DevicePrimaryCtxGetState|Init)|(egl|glX|wgl|glfw|SDL_GL_)GetCurrentContext)$/;

/** On every way to the event a test of such a call lies before it; a check that only reports is none. */
function isAsked(file: FileFacts, event: Event): boolean {
  const asked = event.fn.calls.filter((call) => call.id < event.id && isProbe(file, call));
  return event.fn.events.some(
    (test): test is Test =>
      test.kind === 'test' && test.expr.kind !== 'success' && dominates(test, event) && asked.some((call) => asksFor(test.expr, call)),
  );
}

function asksFor(expr: Expr, call: Call): boolean {
  return [...walk(expr)].some((part) => part === call || (part.kind === 'path' && samePath(part.path, call.result)));
}

/** Itself, or a function of the file or a lambda beside it that makes one. */
function isProbe(file: FileFacts, call: Call): boolean {
  if (call.api) return probes.test(call.api.name);
  const callee = resolveCallee(file, call) ?? lambdaNamed(call);
  return (
    probes.test(call.name) || (callee !== undefined && callee !== call.fn && callee.calls.some((inner) => probes.test(inner.api?.name ?? inner.name)))
  );
}

function lambdaNamed({ fn, name }: Call): FunctionFacts | undefined {
  for (const event of fn.events) {
    const value = event.kind === 'assign' && pathOf(event.target)?.root === name ? event.value : undefined;
    if (value) for (const part of walk(value)) if (part.kind === 'lambda') return part.fn;
  }
  return undefined;
}
