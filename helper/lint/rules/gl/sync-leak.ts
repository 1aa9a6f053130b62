/**
 * # gl/sync-leak
 *
 * ## What it does
 * Reports a GL or EGL sync object, or a GL semaphore for an imported handle, that nothing in the file deletes: a local that is neither
 * deleted nor handed on, a result that nobody keeps, a field that is overwritten and never deleted.
 *
 * ## Why is this bad
 * Fences are made for each frame. Each holds driver memory, and on Linux often a file descriptor: the process runs out of both after
 * hours. Deleting a sync object that is still pending is allowed; it goes when it has signalled.
 *
 * ## Example
 * ```cpp
 * #include <EGL/egl.h>
 * #include <GL/glcorearb.h>
 * void wait_for_copy() {
 *     GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
 *     glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <EGL/egl.h>
 * #include <GL/glcorearb.h>
 * void wait_for_copy() {
 *     GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
 *     glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000);
 *     glDeleteSync(fence);
 * }
 * ```
 *
 * ## What it cannot see
 * Deletes in other files: what reaches an unknown function, a container, a return value or an object that others can reach is believed to
 * be deleted there. Fields are reported only where the whole class is in the file.
 */
import type { Call, Event, Expr, FileFacts, Path } from '../../facts/index';
import { declarationOf, lastName, mentions, pathText, stripCasts } from '../../facts/paths';
import { reachesWithout, returnsWithout } from '../../flow/order';
import { resolveCallee } from '../../flow/program';
import { functionTable } from '../../memo/table';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly name: string;
  readonly maker: string;
  readonly deleter: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'gl/sync-leak',
    summary: 'A GL or EGL sync object or imported semaphore is never deleted.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ name, maker, deleter }) {
    return `${name} from \`${maker}\` is never deleted: each one keeps driver memory and often a file descriptor. Call \`${deleter}\` when it has been waited for; a pending one may be deleted too.`;
  },

  detect(file, report) {
    for (const call of file.subjects.flatMap((fn) => (fn.degraded ? [] : fn.calls))) {
      const deleter = deleters[call.api?.name ?? ''];
      if (!deleter) continue;
      const target = call.api!.name === 'glGenSemaphores' ? call.api!.path('semaphore') : call.result;
      const name = target ? `\`${pathText(target)}\`` : 'the sync object';
      if (target ? isLost(file, call, target, deleter) : isDropped(call)) report({ at: call, data: { name, maker: call.api!.name, deleter } });
    }
  },
});

const deleters: Readonly<Record<string, string>> = {
  glFenceSync: 'glDeleteSync',
  eglCreateSync: 'eglDestroySync',
  glGenSemaphores: 'glDeleteSemaphores',
};

/** Nobody keeps the result: it is ignored, or an argument of a wait. */
function isDropped(call: Call): boolean {
  if (call.api!.name === 'glGenSemaphores') return false;
  if (call.use === 'ignored') return true;
  const user = call.fn.calls.find((each) => each !== call && each.args.some((arg) => stripCasts(arg) === call));
  return user !== undefined && /^(gl(Client)?WaitSync|egl(Client)?WaitSync)$/.test(user.api?.name ?? '');
}

function isLost(file: FileFacts, call: Call, target: Path, deleter: string): boolean {
  const variable = declarationOf(call.fn, target);
  if (target.kind === 'local' && target.steps.length === 0 && variable && !variable.isStatic && !/[*&]$/.test(variable.type)) {
    const isKept = (event: Event) => event !== call && keeps(event, target, deleter);
    // A delete or a hand-over anywhere is believed to cover the other ways out.
    if (call.fn.events.some(isKept)) return overwritten(call, target, isKept);
    return returnsWithout(call, () => false);
  }
  if (target.kind !== 'this' || target.steps.length !== 1) return false;
  return isForgottenField(file, call, target, deleter) || isOverwrittenField(file, call, target, deleter);
}

/** The same variable gets the next object in a loop before this one is deleted. */
function overwritten(call: Call, target: Path, isKept: (event: Event) => boolean): boolean {
  return reachesWithout(call, call, isKept) && target.steps.length === 0;
}

/** The event deletes the object or hands it to something that may. */
function keeps(event: Event, path: Path, deleter: string): boolean {
  switch (event.kind) {
    case 'call':
      if (event.api?.name === deleter) return [...event.args].some((arg) => mentions(arg, path));
      return !event.api && [...event.args, ...(event.receiver ? [event.receiver] : [])].some((arg) => mentions(arg, path));
    case 'assign':
      return event.value !== undefined && !isKnownCall(event.value) && mentions(event.value, path);
    case 'return':
      return !isKnownCall(event.value) && mentions(event.value, path);
    case 'escape':
      return event.paths.some((each) => each.root === path.root);
    default:
      return false;
  }
}

/** What a known API call gets is an event of its own; its result is something else. */
function isKnownCall(value: Expr | undefined): boolean {
  const bare = value && stripCasts(value);
  return bare?.kind === 'call' && bare.api !== undefined;
}

const once =
  /^(init|initiali[sz]e|setup|set_up|create|load|open|start|build|make|construct|prepare|configure|alloc|compile|attach|enable|ensure|on_?(init|create|start|load|attach))/i;

/** A method that may run again and again puts a new object into the field, and only the end of the whole deletes one. */
function isOverwrittenField(file: FileFacts, call: Call, target: Path, deleter: string): boolean {
  const owner = file.classNamed(call.fn.className ?? '');
  const { fn } = call;
  if (!owner?.destructor || owner.bases.length > 0 || fn.kind !== 'method' || once.test(fn.name)) return false;
  const others = owner.methods.filter((method) => method !== owner.destructor);
  if (others.some((method) => method.degraded || method.events.some((event) => event !== call && keeps(event, target, deleter)))) return false;
  // A test of the field, or a helper that nobody sees, may keep the first one.
  const isAsked = fn.events.some((event) => event.kind === 'test' && mentions(event.expr, target));
  const isHidden = fn.calls.some(
    (each) =>
      !each.api &&
      !each.receiver &&
      each.form === 'call' &&
      !resolveCallee(file, each) &&
      /sync|fence|wait|reset|clean|release|begin/i.test(each.name),
  );
  return !isAsked && !isHidden && owner.destructor.calls.some((each) => each.api?.name === deleter && each.args.some((arg) => mentions(arg, target)));
}

const namedDelete = /delete_?sync|destroy_?sync/i;
/** Calls that may delete, by the API; `*` for those that only go by their name. */
const deletions = functionTable<string, Call>((_, fn) =>
  fn.calls.flatMap((call) => [...(call.api ? [[call.api.name, call] as const] : []), ...(namedDelete.test(call.name) ? [['*', call] as const] : [])]),
);

/** A field of a class that the file shows whole; no delete in the file takes anything that could be it. */
function isForgottenField(file: FileFacts, call: Call, target: Path, deleter: string): boolean {
  const owner = file.classNamed(call.fn.className ?? '');
  const field = owner?.fields.find((each) => each.name === lastName(target));
  if (!owner || !field || owner.destructorElsewhere || owner.constructorElsewhere || owner.bases.length > 0) return false;
  if (deletions.of(file, deleter).length + deletions.of(file, '*').length > 0) return false;
  const isRead = (event: Event) => event !== call && keeps(event, target, deleter);
  return !owner.methods.some((method) => method.degraded || method.events.some(isRead));
}
