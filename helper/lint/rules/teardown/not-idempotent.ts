/**
 * # teardown/not-idempotent
 *
 * ## What it does
 * Reports a handle that a clean-up may end although it holds nothing valid: a field or local variable that some way leaves without a value
 * before the code that destroys it, or a handle that a clean-up function ends without clearing it although it runs a second time.
 *
 * ## Why is this bad
 * Destroying an indeterminate handle, or one that was destroyed before, is undefined behaviour: the driver frees a stranger's object or
 * crashes. It happens on the way that tests never take, when the first of several creations fails.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * class Converter {
 * public:
 *     Converter(VkDevice device, const VkSamplerCreateInfo& sampler, const VkFenceCreateInfo& fence) : device_(device) {
 *         if (vkCreateSampler(device_, &sampler, nullptr, &sampler_) != VK_SUCCESS) return;
 *         vkCreateFence(device_, &fence, nullptr, &done_);
 *     }
 *     ~Converter() {
 *         vkDestroyFence(device_, done_, nullptr);
 *         vkDestroySampler(device_, sampler_, nullptr);
 *     }
 * private:
 *     VkDevice device_;
 *     VkSampler sampler_;
 *     VkFence done_;
 * };
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * class Converter {
 * public:
 *     Converter(VkDevice device, const VkSamplerCreateInfo& sampler, const VkFenceCreateInfo& fence) : device_(device) {
 *         if (vkCreateSampler(device_, &sampler, nullptr, &sampler_) != VK_SUCCESS) return;
 *         vkCreateFence(device_, &fence, nullptr, &done_);
 *     }
 *     ~Converter() {
 *         vkDestroyFence(device_, done_, nullptr);  // null is allowed
 *         vkDestroySampler(device_, sampler_, nullptr);
 *     }
 * private:
 *     VkDevice device_ = VK_NULL_HANDLE;
 *     VkSampler sampler_ = VK_NULL_HANDLE;
 *     VkFence done_ = VK_NULL_HANDLE;
 * };
 * ```
 *
 * ## Fix safety
 * Safe: the handle starts as null, or becomes null behind its end. Fields of C structs have no fix.
 *
 * ## What it cannot see
 * Constructors, destructors and callers in other files. A clean-up behind a flag of its own is believed to be right; one behind another
 * field (`if (owner)`) is looked into with the preview rules only: who makes the object may set that one first and give up. So is a local
 * variable that nothing sets, or only an `if` without `else`.
 */

import { halfMade } from '../../analyses/half-made';
import {
  constructorsOf,
  type EndedField,
  endedFields,
  endedParts,
  initialises,
  isGuardedByOther,
  isRawHandle,
  mayInitialise,
} from '../../analyses/handle-fields';
import { endedPath, reachedCalls, writes } from '../../analyses/releases';
import { unsetEnds } from '../../analyses/unset-locals';
import type { Assign, Call, ClassFacts, Event, FileFacts, FunctionFacts, Path, Variable } from '../../facts/index';
import { declarationOf, pathOf, samePath, walk } from '../../facts/paths';
import { eventsAfter, returnsWithout } from '../../flow/order';
import { callsMeaning, resolveCallee } from '../../flow/program';
import { declaredTypeOf, typeOfPath } from '../../flow/visible';
import { bareType } from '../../knowledge/index';
import { functionTable } from '../../memo/table';
import { appendInside, initialise } from '../edits';
import { cFamily, defineRule, type Fix, type Problem } from '../rule';

interface Data {
  readonly handle: string;
  readonly ender: string;
  readonly why: 'indeterminate' | 'twice';
  readonly where: string;
  /** What the fix needs: the declaration, or the end of the handle. */
  readonly declared?: Variable;
  readonly ended?: Call;
}

type Report = (problem: Problem<Data>) => void;

export const rule = defineRule<Data>({
  meta: {
    id: 'teardown/not-idempotent',
    summary: 'A clean-up may end a handle that was never set, or end one a second time.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'safe',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ handle, ender, why, where }) {
    if (why === 'twice')
      return `\`${handle}\` keeps its value after \`${ender}\`, and ${where} runs this clean-up a second time: the handle would be ended twice. Set it to null behind the call.`;
    return `\`${handle}\` has no value on some way through ${where}, and \`${ender}\` ends it all the same: an indeterminate handle is no null handle. Initialise it to null where it is declared.`;
  },

  detect(file, report) {
    for (const each of file.subjectClasses) {
      checkFields(file, each, report);
      checkParts(file, each, report);
      checkTwice(file, each, report);
      checkHalfMade(file, each, report);
    }
    for (const fn of file.subjects) if (!fn.degraded) checkLocals(file, fn, report);
  },

  fix({ data: { declared, ended } }, file) {
    if (declared) return startAsNull(file, declared);
    return ended && becomeNull(file, ended);
  },
});

function startAsNull(file: FileFacts, declared: Variable): Fix | undefined {
  const value = nullOf(file, declared.type);
  if (value === undefined || (file.language === 'c' && declared.kind === 'field')) return undefined;
  const edit = initialise(file, declared, value);
  return edit && { title: `Start with ${value}`, edits: [edit] };
}

function becomeNull(file: FileFacts, call: Call): Fix | undefined {
  const path = endedPath(call);
  const written = path && call.args.find((arg) => samePath(pathOf(arg), path) && arg.kind === 'path');
  const value = path && nullOf(file, typeOfPath(file, call.fn, path) ?? '');
  const isFixed = path && /^const\b[^*]*$|\*\s*const$/.test(declaredTypeOf(file, call.fn, path) ?? '');
  const edit =
    written && !isFixed && value !== undefined && !isConst(file, call) ? appendInside(file, call, `${file.source(written)} = ${value};`) : undefined;
  return edit && { title: `Set it to ${value} behind the call`, edits: [edit] };
}

/** A method that changes no field. */
function isConst(file: FileFacts, { fn, span }: Call): boolean {
  const head = file.text.slice(fn.nameSpan.end, span.start);
  return /\)\s*const\b/.test(head.slice(0, head.indexOf('{')));
}

/** The null of a raw handle type. */
function nullOf(file: FileFacts, type: string): string | undefined {
  const bare = type.replace(/\bconst\b|\[.*\]/g, '').trim();
  if (/^(CUdeviceptr|CUtexObject|CUsurfObject|cudaTextureObject_t|cudaSurfaceObject_t|GLuint|hipDeviceptr_t)$/.test(bare)) return '0';
  if (/^(Vk|Vma)[A-Z]\w+$/.test(bare)) return 'VK_NULL_HANDLE';
  const isPointer = /\*$/.test(bare) || /^(CU[a-z]\w+|cuda[A-Z]\w*_t|hip[A-Z]\w*_t)$/.test(bare);
  return isPointer ? (file.language === 'c' ? 'NULL' : 'nullptr') : undefined;
}

/** Fields that the destructor ends although a constructor, or an object without one, leaves them without a value. */
function checkFields(file: FileFacts, each: ClassFacts, report: Report): void {
  const { destructor } = each;
  if (!destructor || destructor.degraded || each.bases.length > 0) return;
  const ended = endedFields(file, destructor);
  for (const field of each.fields) {
    const found = ended.find(({ name }) => name === field.name);
    if (!found || field.init || field.isStatic || !isRawHandle(field.type)) continue;
    if (isGuardedByOther(found.site, found.path) || isGuardedByOther(found.call, endedPath(found.call)!)) continue;
    const culprit = leavesUnset(file, each, found.path);
    if (!culprit) continue;
    report({
      at: field as Variable,
      data: { handle: field.name, ender: found.call.name, why: 'indeterminate', where: `\`${culprit.qualifiedName}\``, declared: field },
      related: [
        { at: culprit.nameSpan, message: 'may leave it without a value' },
        { at: found.call, message: 'ended here' },
      ],
    });
  }
}

/** The same for handles in a struct of the file that the class holds as a whole. */
function checkParts(file: FileFacts, each: ClassFacts, report: Report): void {
  const { destructor } = each;
  if (!destructor || destructor.degraded || each.bases.length > 0) return;
  for (const { name, part, path, call, site } of endedParts(file, destructor)) {
    const holder = each.fields.find((field) => field.name === name);
    const struct = holder && !holder.init && !holder.isStatic ? file.classNamed(bareType(holder.type)) : undefined;
    const field = struct?.fields.find((inner) => inner.name === part);
    if (!struct || !field || field.init || !isRawHandle(field.type) || struct.constructorElsewhere) continue;
    if (struct.methods.some((method) => method.kind === 'constructor') || isGuardedByOther(site, path)) continue;
    const culprit = leavesUnset(file, each, path);
    if (!culprit) continue;
    const data = {
      handle: `${name}.${part}`,
      ender: call.name,
      why: 'indeterminate' as const,
      where: `\`${culprit.qualifiedName}\``,
      declared: field,
    };
    const related = [
      { at: culprit.nameSpan, message: 'may leave it without a value' },
      { at: call, message: 'ended here' },
    ];
    report({ at: field as Variable, data, related, isPreview: true });
  }
}

/** Handles that are ended although whoever made the object gave up after it looked complete. */
function checkHalfMade(file: FileFacts, each: ClassFacts, report: Report): void {
  for (const { field, end, maker } of halfMade(file, each)) {
    report({
      at: field,
      data: { handle: field.name, ender: end.name, why: 'indeterminate', where: `\`${maker.qualifiedName}\``, declared: field },
      related: [
        { at: maker.nameSpan, message: 'may give up before it has a value' },
        { at: end, message: 'ended here' },
      ],
      isPreview: true,
    });
  }
}

/** The constructor, or without any the creating method, that some way leaves before the field has a value. */
function leavesUnset(file: FileFacts, each: ClassFacts, path: Path): FunctionFacts | undefined {
  const { bodies, complete } = constructorsOf(each);
  const isDelegating = (fn: FunctionFacts) => fn.calls.some((call) => call.name === each.name && !call.receiver);
  if (bodies.length > 0) return bodies.find((fn) => !isDelegating(fn) && !initialises(file, fn, path));
  if (!complete || !isMadeBare(file, each)) return undefined;
  return each.methods.find((fn) => fn.kind === 'method' && fn.events.some((event) => writes(event, path)) && !initialises(file, fn, path));
}

/** `Thing t;` by the type. */
const declaredBare = functionTable<string, Variable>((_, fn) =>
  fn.events.flatMap((event) =>
    event.kind === 'assign' && event.declares && !event.value && !event.declares.isStatic ? [[event.declares.type, event.declares]] : [],
  ),
);

/** An object that nobody initialises is declared in the file. */
function isMadeBare(file: FileFacts, each: ClassFacts): boolean {
  return declaredBare.of(file, each.name).length > 0;
}

/** A clean-up method that leaves ended handles in place and runs both by hand and in the destructor. */
function checkTwice(file: FileFacts, each: ClassFacts, report: Report): void {
  const { destructor } = each;
  if (!destructor || destructor.degraded) return;
  const byDestructor = new Set([destructor, ...[...reachedCalls(file, destructor)].flatMap(({ call }) => resolveCallee(file, call) ?? [])]);
  for (const method of each.methods) {
    if (method === destructor || method.degraded || !byDestructor.has(method)) continue;
    const stale = staleFields(file, method);
    const again = stale.length > 0 ? secondRun(file, each, method, byDestructor, stale[0]!.path) : undefined;
    if (!again) continue;
    for (const { name, call } of stale)
      report({
        at: call,
        data: { handle: name, ender: call.name, why: 'twice', where: 'the destructor', ended: call },
        related: [{ at: again, message: 'run by hand here' }],
      });
  }
}

/** Handles that a method ends and does not clear on every way out; none when a flag of the class guards the method. */
function staleFields(file: FileFacts, method: FunctionFacts): EndedField[] {
  const assigned = method.events.filter((event): event is Assign => event.kind === 'assign').flatMap((event) => pathOf(event.target) ?? []);
  const isFlagged = method.events.some(
    (event) =>
      event.kind === 'test' && [...walk(event.expr)].some((part) => part.kind === 'path' && assigned.some((path) => samePath(path, part.path))),
  );
  if (isFlagged) return [];
  return endedFields(file, method).filter(
    ({ call, site, path }) => call === site && !clearsInPlace(call) && returnsWithout(call, (event) => mayInitialise(file, event, path)),
  );
}

function clearsInPlace(call: Call): boolean {
  return call.args.some((arg) => [...walk(arg)].some((part) => part.kind === 'call'));
}

/** A call by hand after which the object goes on to its destructor with the stale handle. */
function secondRun(file: FileFacts, each: ClassFacts, method: FunctionFacts, byDestructor: ReadonlySet<FunctionFacts>, path: Path): Call | undefined {
  const isSet = (event: Event) => mayInitialise(file, event, path);
  return callsMeaning(file, method).find((call) => {
    const { fn } = call;
    if (byDestructor.has(fn) || fn.degraded || fn.kind === 'lambda') return false;
    const own = fn.className === each.name;
    return own ? returnsWithout(call, isSet) || failsBetweenCreators(file, call, isSet) : diesHere(file, call, each);
  });
}

const creating = /^_*(re)?(create|init|build|make|alloc|set_?up|load)/i;

/** `if (!createImages()) return false;` with another creator to come: what that one would have made anew is still the old. */
function failsBetweenCreators(file: FileFacts, from: Call, isSet: (event: Event) => boolean): boolean {
  const isCreator = (event: Event) => event.kind === 'call' && !event.api && creating.test(event.name) && !resolveCallee(file, event);
  const first = [...eventsAfter(from, { blocked: isSet })].find(isCreator);
  const test = first && from.fn.blocks[first.block]!.events.at(-1);
  if (!first || test?.kind !== 'test' || ![...walk(test.expr)].some((part) => part === first)) return false;
  const sides = from.fn.blocks[first.block]!.edges.map((edge) => firstEventFrom(from.fn, edge.to));
  const fails = sides.some((event) => event !== undefined && !isSet(event) && returnsWithout(event, isSet));
  return fails && sides.some((event) => event !== undefined && [event, ...eventsAfter(event)].some((each) => each !== first && isCreator(each)));
}

/** The first event from a block on, where nothing forks before it. */
function firstEventFrom(fn: FunctionFacts, start: number): Event | undefined {
  const seen = new Set<number>();
  for (let id: number | undefined = start; id !== undefined && !seen.has(id); id = fn.blocks[id]!.edges[0]?.to) {
    seen.add(id);
    if (fn.blocks[id]!.events[0]) return fn.blocks[id]!.events[0];
  }
  return undefined;
}

/** `thing.cleanup()` on a local object, or on one that is deleted behind it. */
function diesHere(file: FileFacts, call: Call, each: ClassFacts): boolean {
  const object = pathOf(call.receiver);
  if (object?.kind !== 'local' || object.steps.length > 0 || typeOfPath(file, call.fn, object) !== each.name) return false;
  const declared = declarationOf(call.fn, object);
  const isUsedAgain = (event: Event) => event.kind === 'call' && event.form === 'call' && samePath(pathOf(event.receiver), object);
  if (declared && !/[*&]$/.test(declared.type)) return returnsWithout(call, isUsedAgain);
  return [...eventsAfter(call, { blocked: isUsedAgain })].some(
    (event) => event.kind === 'call' && event.form === 'delete' && samePath(pathOf(event.args[0]), object),
  );
}

/** Locals that an error path ends before they have a value. */
function checkLocals(file: FileFacts, fn: FunctionFacts, report: Report): void {
  for (const { at, name, end, declared, isPreview } of unsetEnds(file, fn)) {
    report({
      at,
      data: { handle: name, ender: end.name, why: 'indeterminate', where: `\`${fn.qualifiedName}\``, ...(declared && { declared }) },
      related: [{ at: end, message: 'ended here' }],
      isPreview,
    });
  }
}
