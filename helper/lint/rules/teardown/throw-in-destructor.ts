/**
 * # teardown/throw-in-destructor
 *
 * ## What it does
 * Reports a check that throws, inside a destructor or a function of the file that a destructor calls, with no `try` around it.
 *
 * ## Why is this bad
 * Destructors are `noexcept`: a throw ends the process by `std::terminate`. GPU calls do fail during teardown (a lost device, an earlier
 * asynchronous error that surfaces here), and then the crash hides the first error.
 *
 * ## Example
 * ```cuda
 * #include <cuda_runtime.h>
 * #include <stdexcept>
 * #define CUDA_CHECK(call) do { if ((call) != cudaSuccess) throw std::runtime_error(#call); } while (0)
 * class Buffer {
 * public:
 *     ~Buffer() { CUDA_CHECK(cudaFree(data_)); }
 * private:
 *     void* data_ = nullptr;
 * };
 * ```
 *
 * ## Use instead
 * ```cuda
 * #include <cstdio>
 * #include <cuda_runtime.h>
 * class Buffer {
 * public:
 *     ~Buffer() {
 *         if (cudaFree(data_) != cudaSuccess) std::fputs("cudaFree failed\n", stderr);  // report, never throw
 *     }
 * private:
 *     void* data_ = nullptr;
 * };
 * ```
 *
 * ## What it cannot see
 * Check macros whose body and name do not tell that they throw, and functions in other files. A function that asks for a flag which the
 * destructor has set is taken not to throw then. Calls of vulkan.hpp that throw by
 * themselves are not reported, nor is a class that its own source file uses nowhere. Where the file calls no GPU API, the finding shows
 * with the preview rules only.
 */
import { isGpuFamily } from '../../analyses/releases';
import { isUsedClass } from '../../analyses/used-classes';
import type { Event, Expr, FileFacts, FunctionFacts, Test } from '../../facts/index';
import { expressionsOf, lastName, mentions, pathOf, stripCasts, walk } from '../../facts/paths';
import { valueAt } from '../../flow/definitions';
import { dominates } from '../../flow/order';
import { resolveCallee } from '../../flow/program';
import { holdsForAny } from '../../memo/table';
import { defineRule } from '../rule';

interface Data {
  readonly thrower: string;
  readonly destructor: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'teardown/throw-in-destructor',
    summary: 'A destructor contains a check that throws.',
    severity: 'warning',
    tier: 'B',
    precision: 'certain',
    fix: 'none',
    languages: ['cpp', 'cuda'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ thrower, destructor }) {
    return `\`${thrower}\` can throw, and \`${destructor}\` is noexcept: the exception ends the process by std::terminate. Log the failure here instead of throwing.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.kind !== 'destructor' || fn.degraded || fn.attributes.some((each) => /noexcept\s*\(\s*false\s*\)/.test(each))) continue;
      if (/noexcept\s*\(\s*false\s*\)/.test(headOf(file, fn))) continue;
      const thrown = throwsOf(file, fn, 4).filter(({ at, origin }) => !isSwitchedOff(fn, at, origin));
      const [first, ...others] = thrown;
      if (!first || !isUsedClass(file, fn.className)) continue;
      const { name, place } = describe(file, first.origin);
      const more = others
        .slice(0, 5)
        .map(({ at, origin }) => ({ at: at === origin ? describe(file, origin).place : at, message: 'can throw as well' }));
      report({
        at: first.at === first.origin ? place : first.at,
        data: { thrower: name, destructor: fn.qualifiedName },
        isPreview: !touchingGpu(file),
        related: [...(first.at === first.origin ? [] : [{ at: place, message: 'thrown here' }]), ...more],
      });
    }
  },
});

/** The file has to do with a GPU; without, the advice holds all the same but is none about the seam. */
const touchingGpu = holdsForAny((_, fn) => fn.calls.some((call) => call.api !== undefined && isGpuFamily(call.api.api.family)));

/** The text of the head, for the one specifier that the facts do not keep. */
function headOf(file: FileFacts, fn: FunctionFacts): string {
  const text = file.source(fn.span);
  return text.slice(0, Math.max(0, text.indexOf('{')));
}

interface Thrown {
  /** The event in the asked function. */
  readonly at: Event;
  /** The throw itself, maybe in a callee. */
  readonly origin: Event;
}

/** Throws that leave the function, callees of the file included. */
function throwsOf(file: FileFacts, fn: FunctionFacts, depth: number): Thrown[] {
  const own = fn.events
    .filter((event) => event.kind === 'throw' && leaves(fn, event) && !isOptional(fn, event))
    .map((event) => ({ at: event, origin: event }));
  if (depth === 0) return own;
  const inner = fn.calls.flatMap((call): Thrown[] => {
    const callee = call.api ? undefined : resolveCallee(file, call);
    if (!callee || callee === fn || callee.degraded || callee.kind === 'destructor' || isCaught(fn, call)) return [];
    const first = throwsOf(file, callee, depth - 1).find(({ origin }) => isDecidedByStatus(origin));
    return first ? [{ at: call, origin: first.origin }] : [];
  });
  return [...own, ...inner];
}

/** Whether a call failed decides about the throw. One that only minds how the function is used is no matter of a destructor. */
function isDecidedByStatus(origin: Event): boolean {
  const { fn } = origin;
  const isCheck = fn.calls.some(
    (call) => call.check?.consequence === 'throw' && call.span.start >= origin.span.start && call.span.end <= origin.span.end,
  );
  const tests = fn.events.filter((event): event is Test => event.kind === 'test' && dominates(event, origin));
  return (
    isCheck ||
    tests.some(
      (test) =>
        (test.expr.kind === 'success' && !isOwnCondition(test.expr.of)) || [...walk(test.expr)].some((part) => canFail(part) || isStatus(test, part)),
    )
  );
}

/** `ensure(is_mapped_, "...")`: fields and constants alone, like `if (!is_mapped_) throw`. One that keeps a status compares with the API's own. */
function isOwnCondition(of: Expr): boolean {
  const parts = [...walk(of)];
  const isPlain = (part: Expr) => /^(unary|binary|cast|number|bool|null)$/.test(part.kind) || (part.kind === 'path' && part.path.kind === 'this');
  return parts.every((part) => isPlain(part) && !(part.kind === 'path' && /result|error|status/i.test(lastName(part.path))));
}

/** A call, unless it only looks at something: `path.size() >= limit` is about how the function is used, and so is what `snprintf` has cut off. */
function canFail(part: Expr): boolean {
  return (
    part.kind === 'call' &&
    !/^(size|length|empty|count|find\w*|begin|end|at|back|front|max|min|strlen|contains|starts_with|ends_with|c_str|string|v?s?n?printf)$/.test(
      part.name,
    )
  );
}

/** A variable that holds what a call returned, or the parameter of a function that checks. */
function isStatus(at: Test, part: Expr): boolean {
  if (part.kind !== 'path' || part.path.steps.length > 0) return false;
  if (part.path.kind === 'param')
    return at.fn.params.some((param) => param.name === part.path.root && /result|error|status|CUresult/i.test(param.type));
  const value = valueAt(at, part);
  return value !== undefined && value !== 'zero' && canFail(stripCasts(value));
}

/** A flag that the caller passes decides whether the function throws. */
function isOptional(fn: FunctionFacts, event: Event): boolean {
  const flags = fn.params.filter((param) => /^(const )?bool$/.test(param.type)).map((param) => param.name);
  return fn.events.some(
    (test) =>
      test.kind === 'test' &&
      dominates(test, event) &&
      [...walk(test.expr)].some((part) => part.kind === 'path' && part.path.kind === 'param' && flags.includes(part.path.root)),
  );
}

/** The destructor has set a flag of the object before, and the function that throws asks for it. */
function isSwitchedOff(destructor: FunctionFacts, at: Event, origin: Event): boolean {
  const flags = destructor.events.flatMap((event) => {
    const path = event.kind === 'assign' && event.id < at.id && event.value?.kind === 'bool' ? pathOf(event.target) : undefined;
    const stored = event.kind === 'call' && event.id < at.id && event.name === 'store' ? pathOf(event.receiver) : undefined;
    return [path, stored].filter((each) => each?.kind === 'this' && each.steps.length === 1).map((each) => each!);
  });
  if (flags.length === 0 || at === origin) return false;
  return origin.fn.events.some((event) => expressionsOf(event).some((expr) => flags.some((flag) => mentions(expr, flag))));
}

/** No handler of the function stands between the throw and its end. */
function leaves(fn: FunctionFacts, event: Event): boolean {
  return fn.blocks[event.block]!.edges.some((edge) => edge.kind === 'throw' && edge.to === fn.throwExit);
}

/** A handler of the function catches what a call here throws: its block has an exceptional way that stays inside. */
function isCaught(fn: FunctionFacts, event: Event): boolean {
  return fn.blocks[event.block]!.edges.some((edge) => edge.kind === 'maybe' && edge.to !== fn.throwExit);
}

/** The check and its call, or the word `throw`. */
function describe(file: FileFacts, event: Event): { name: string; place: Event } {
  const check = event.fn.calls.findLast(
    (call) => call.id < event.id && call.check?.consequence === 'throw' && call.span.start >= event.span.start && call.span.end <= event.span.end,
  );
  if (check?.check) return { name: `${check.check.name}(${check.name})`, place: event };
  return { name: file.source(event.span).replace(/\s+/g, ' ').slice(0, 40), place: event };
}
