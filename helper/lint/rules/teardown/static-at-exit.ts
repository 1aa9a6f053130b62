/**
 * # teardown/static-at-exit
 *
 * ## What it does
 * Reports an object with static storage duration (global, static member, function-local static) whose destructor frees GPU objects.
 *
 * ## Why is this bad
 * Static destructors run after `main`, in an order that nobody controls across libraries. CUDA says that its interfaces must not be used
 * after `main` has ended, and a Vulkan or GL driver may have torn down its own statics before: the free crashes or hangs at exit.
 *
 * ## Example
 * ```cuda
 * #include <cuda_runtime.h>
 * class Scratch {
 * public:
 *     explicit Scratch(size_t bytes) { cudaMalloc(&data_, bytes); }
 *     ~Scratch() { cudaFree(data_); }
 * private:
 *     void* data_ = nullptr;
 * };
 * static Scratch g_scratch(1 << 20);
 * ```
 *
 * ## Use instead
 * ```cuda
 * #include <cuda_runtime.h>
 * class Scratch {
 * public:
 *     explicit Scratch(size_t bytes) { cudaMalloc(&data_, bytes); }
 *     ~Scratch() { cudaFree(data_); }
 * private:
 *     void* data_ = nullptr;
 * };
 * int main() {
 *     Scratch scratch(1 << 20);  // dies before main ends
 *     cudaDeviceSynchronize();
 * }
 * ```
 * Where the object must be global, leak it on purpose (`static Scratch& s = *new Scratch(n);`) or free it explicitly before `main` ends.
 *
 * ## What it cannot see
 * Destructors in other files, and an explicit shutdown in another file that leaves nothing for the destructor to free.
 */
import { freedWith } from '../../analyses/releases';
import type { Call, Event, Expr, FileFacts, Span, Variable } from '../../facts/index';
import { pathOf, stripCasts, walk } from '../../facts/paths';
import { fromFunctions, functionTable } from '../../memo/table';
import { defineRule } from '../rule';

interface Data {
  readonly name: string;
  readonly freed: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'teardown/static-at-exit',
    summary: 'A static object frees GPU objects at exit, when the driver may be gone.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: ['cpp', 'cuda'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ name, freed }) {
    return `\`${name}\` has static storage duration, so ${freed} runs after main has ended, when the driver may already be gone. Let an object in main own it, free it explicitly before main ends, or leak it on purpose (\`static T& x = *new T\`).`;
  },

  detect(file, report) {
    for (const variable of statics(file)) {
      if (isPlaceholder(variable)) continue;
      const found = freedWith(file, variable.type);
      if (!found || isEndedByHand(file, variable.name) || knowsTheDriverIsGone(found.call)) continue;
      report({
        at: variable.span as Span,
        data: { name: variable.name, freed: found.call ? `\`${found.call.name}\`` : `the destructor of \`${variable.type}\`` },
        related: found.call ? [{ at: found.call, message: 'freed here, in the destructor' }] : [],
      });
    }
  },
});

/** Variables that live until the process ends; declarations of static members that are defined elsewhere are not counted. */
function statics(file: FileFacts): Variable[] {
  const members = file.classes.flatMap((each) => each.fields.filter((field) => field.isStatic && field.init));
  return [...file.globals, ...members, ...staticLocals(file)].filter((each) => !each.isThreadLocal);
}

const staticLocals = fromFunctions((_, fn) => fn.locals.filter((each) => each.isStatic));

/** `static Buffer dummy;`: an object that stands for nothing owns nothing. */
function isPlaceholder({ name, init }: Variable): boolean {
  return !init && /^(k_?)?(dummy|empty|null|none|invalid|sentinel|nothing)/i.test(name);
}

const enders =
  /^(reset|clear|release|destroy|shutdown|shut_down|free|close|cleanup|clean_up|terminate|deinit|finali[sz]e|dispose|teardown|tear_down|uninit|stop|swap)\w*$/i;

/** The file ends the object before the destructor does, or hands it to somebody who may. */
function isEndedByHand(file: FileFacts, name: string): boolean {
  return endedByHand.of(file, name.split('::').at(-1)!).length > 0;
}

/** Events that end globals by their last name, or may. */
const endedByHand = functionTable<string, Event>((_, fn) =>
  fn.events.flatMap((event) => globalsIn(endedBy(event)).map((name) => [name, event] as const)),
);

function endedBy(event: Event): readonly Expr[] {
  if (event.kind === 'assign') return event.declares ? [] : [event.target];
  if (event.kind !== 'call') return [];
  const object = event.receiver !== undefined && enders.test(event.name) ? [stripCasts(event.receiver)] : [];
  return /swap|exchange|move$/.test(event.name) ? [...object, ...event.args] : object;
}

function globalsIn(exprs: readonly Expr[]): string[] {
  return exprs.flatMap((expr) => {
    const path = pathOf(expr);
    return path?.kind === 'global' && path.steps.length === 0 ? [path.root.split('::').at(-1)!] : [];
  });
}

/** The destructor asks whether the driver still stands (`cudaErrorCudartUnloading`). */
function knowsTheDriverIsGone(call: Call | undefined): boolean {
  if (!call) return false;
  return call.fn.events.some((event) => {
    const parts =
      event.kind === 'test' ? [event.expr] : event.kind === 'assign' && event.value ? [event.value] : event.kind === 'call' ? event.args : [];
    return parts.some((part) =>
      [...walk(part)].some(
        (inner) => inner.kind === 'path' && /Unloading|DEINITIALIZED|exiting|shutting_?down/i.test(inner.path.root + inner.path.steps.join('')),
      ),
    );
  });
}
