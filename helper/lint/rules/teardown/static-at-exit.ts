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
 * Destructors in other files, and an explicit shutdown in another file that leaves nothing for the destructor to free. An object is not
 * reported when its destructor asks CUDA or GL something first and frees only when that went well, when the file has a function that
 * empties it, or when a header gives everybody a method for that.
 */
import { isGuarded } from '../../analyses/driver-guards';
import { freedByDeleter } from '../../analyses/given-deleters';
import { freedWith } from '../../analyses/releases';
import { isEndedByHand, mayBeEndedElsewhere } from '../../analyses/static-ends';
import type { FileFacts, FunctionFacts, Span, Variable } from '../../facts/index';
import { fromFunctions, holdsForAny } from '../../memo/table';
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
    group: 'preview',
    since: '0.1.0',
  },

  message({ name, freed }) {
    return `\`${name}\` has static storage duration, so ${freed} runs after main has ended, when the driver may already be gone. Let an object in main own it, free it explicitly before main ends, or leak it on purpose (\`static T& x = *new T\`).`;
  },

  detect(file, report) {
    if (skipsDestructors(file)) return;
    for (const { variable, owner } of statics(file)) {
      if (isPlaceholder(variable)) continue;
      const found = freedWith(file, variable.type) ?? freedByDeleter(file, variable);
      if (!found || isEndedByHand(file, variable, owner) || mayBeEndedElsewhere(file, variable) || isGuarded(file, found)) continue;
      report({
        at: variable.span as Span,
        data: { name: variable.name, freed: found.call ? `\`${found.call.name}\`` : `the destructor of \`${variable.type}\`` },
        related: found.call ? [{ at: found.call, message: 'freed here, in the destructor' }] : [],
      });
    }
  },
});

/** Variables that live until the process ends; declarations of static members that are defined elsewhere are not counted. */
function statics(file: FileFacts): Static[] {
  const members = file.classes.flatMap((each) => each.fields.filter((field) => field.isStatic && field.init));
  const outside = [...file.globals, ...members].map((variable) => ({ variable, owner: undefined }));
  return [...outside, ...staticLocals(file)].filter(({ variable }) => !variable.isThreadLocal);
}

interface Static {
  readonly variable: Variable;
  /** The function that a static local is in. */
  readonly owner: FunctionFacts | undefined;
}

const staticLocals = fromFunctions((_, fn) => fn.locals.filter((each) => each.isStatic).map((variable) => ({ variable, owner: fn })));

/** The program leaves without running destructors. */
const skipsDestructors = holdsForAny((_, fn) => fn.calls.some((call) => /^(_exit|_Exit|quick_exit|TerminateProcess)$/.test(call.name)));

/** `static Buffer dummy;`: an object that stands for nothing owns nothing. */
function isPlaceholder({ name, init }: Variable): boolean {
  return !init && /^(k_?)?(dummy|empty|null|none|invalid|sentinel|nothing)/i.test(name);
}
