/**
 * # dlpack/double-free
 *
 * ## What it does
 * Reports a `DLManagedTensor` that is freed, or whose deleter runs, a second time: `delete` or `free` of the struct or of its shape after
 * the deleter, the deleter called twice, the deleter of a tensor called while its capsule still owns it, a capsule's destructor that calls
 * the deleter whatever the capsule is named. With the preview rules also a deleter that is called by hand while an object of the function
 * owns the tensor: a class of the file, a smart pointer, a capsule, a tensor of PyTorch; and a tensor that goes out of its capsule to such an
 * owner without a new name for the capsule.
 *
 * ## Why is this bad
 * The producer's deleter disposes of everything, the struct itself included. Whatever is freed afterwards is freed twice, and by the
 * allocator of another library. A capsule that is still named `dltensor` calls the deleter again when Python collects it, and one that is
 * named `used_dltensor` belongs to a consumer that calls it.
 *
 * ## Example
 * ```cpp
 * #include <dlpack/dlpack.h>
 * void finish(DLManagedTensor* managed) {
 *     if (managed->deleter) managed->deleter(managed);
 *     delete managed;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <dlpack/dlpack.h>
 * void finish(DLManagedTensor* managed) {
 *     if (managed->deleter) managed->deleter(managed);
 * }
 * ```
 *
 * ## What it cannot see
 * Tensors that go through containers, unknown functions or other files; a second owner in another thread. Destructors of capsules that do
 * not look at the name show with the preview rules only, and so do late renames and pointers that were copied out of the tensor before.
 */
import { freedParts } from '../../analyses/borrowed-parts';
import { uncheckedDestructors } from '../../analyses/capsule-destructors';
import { functionOf } from '../../analyses/dlpack-views';
import { keptCapsules } from '../../analyses/kept-capsules';
import { managedTensor } from '../../analyses/managed-tensor';
import { endedThoughOwned } from '../../analyses/owned-tensors';
import type { Call, Event, Expr, FileFacts, FunctionFacts } from '../../facts/index';
import { declarationOf, expressionsOf, mentions, pathOf, samePath, walk } from '../../facts/paths';
import type { Violation } from '../../flow/machine';
import { eventsAfter } from '../../flow/order';
import { violationsOf } from '../../flow/program';
import { fileQuery } from '../../memo/query';
import { fromFunctions } from '../../memo/table';
import { cFamily, defineRule, type Related } from '../rule';

const kinds = {
  'freed-after-deleter': 'The tensor is freed after its deleter, which has already disposed of the whole struct',
  'part-freed-after-deleter': 'A part of the tensor is freed after its deleter, which has already disposed of the whole struct',
  'copy-freed':
    'What is freed here was copied out of a tensor that somebody else made, and whose deleter disposes of everything that the struct points to',
  'deleter-twice': 'The deleter of this tensor has already run',
  'deleter-after-free': 'The deleter is called through a struct that has already been freed',
  'renamed-late':
    'The capsule is renamed after the deleter ran: until here the capsule still owned the tensor, and whatever collects it in between runs the deleter again',
  'renamed-after-others':
    'The capsule is renamed only behind other calls, while a tensor owns it already: when one of them throws, the tensor and the capsule both run the deleter',
  'renamed-after-exits':
    'The capsule is renamed only here, but a smart pointer owns the tensor already and ways out lie in between: on those the smart pointer and the capsule both run the deleter',
  'capsule-too':
    'The tensor gets an owner that calls its deleter, but the capsule is still named `dltensor` and will call it again when Python collects it',
  'consumed-too':
    'This destructor calls the deleter whatever the capsule is named: a consumer renames it to `used_dltensor` and calls the deleter itself, so it runs twice',
  'owned-too': 'The deleter is called by hand although an object of this function owns the tensor and calls it again at its end',
  'finished-without-rename': 'The deleter runs, but the capsule is still named `dltensor` and will run it again when Python collects it',
} as const;
type Kind = keyof typeof kinds;

const advice: Readonly<Record<Kind, string>> = {
  'freed-after-deleter': 'Leave it to the deleter.',
  'part-freed-after-deleter': 'Leave it to the deleter.',
  'copy-freed': 'Leave it to the deleter, or free a copy of the values.',
  'deleter-twice': 'Call it once, and set the pointer to null afterwards.',
  'deleter-after-free': 'Call the deleter and nothing else.',
  'renamed-late': 'Rename the capsule to `used_dltensor` first.',
  'renamed-after-others': 'Rename the capsule to `used_dltensor` right behind the conversion.',
  'renamed-after-exits': 'Rename the capsule to `used_dltensor` right before the smart pointer takes the tensor.',
  'capsule-too': 'Rename the capsule to `used_dltensor` here.',
  'consumed-too': 'Return at once unless PyCapsule_IsValid(capsule, "dltensor").',
  'owned-too': 'Leave it to the owner, or let the owner release the tensor first.',
  'finished-without-rename': 'Rename the capsule to `used_dltensor` before the tensor becomes yours.',
};

export const rule = defineRule<{ readonly kind: Kind }>({
  meta: {
    id: 'dlpack/double-free',
    summary: 'A DLPack tensor is freed, or its deleter called, a second time.',
    severity: 'error',
    tier: 'B',
    precision: 'certain',
    fix: 'none',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ kind }) {
    return `${kinds[kind]}. ${advice[kind]}`;
  },

  detect(file, report) {
    for (const found of violationsOf(file, managedTensor)) {
      const kind = found.kind as Kind;
      if (!(kind in kinds) || (kind === 'finished-without-rename' && capsuleMayKnow(file, found))) continue;
      if (kind === 'freed-after-deleter' && leavesStruct(file)) continue;
      report({ at: found.at, data: { kind }, related: relatedOf(found, kind) });
    }
    for (const { ended, taken } of file.subjects.flatMap((fn) => endedThoughOwned(file, fn)))
      report({ at: ended, data: { kind: 'owned-too' }, related: [{ at: taken, message: 'the owner takes it here' }], isPreview: true });
    for (const { deleter, takes } of uncheckedDestructors(file))
      report({
        at: deleter,
        data: { kind: 'consumed-too' },
        related: [{ at: takes, message: 'taken out under any name here' }],
        isPreview: true,
      });
    for (const { owner, taken } of file.subjects.flatMap((fn) => keptCapsules(file, fn)))
      report({ at: owner, data: { kind: 'capsule-too' }, related: [{ at: taken, message: 'taken out of the capsule here' }], isPreview: true });
    for (const { free, copy } of freedParts(file))
      report({ at: free, data: { kind: 'copy-freed' }, related: [{ at: copy, message: 'copied out of the tensor here' }], isPreview: true });
    for (const { rename, owner } of file.subjects.flatMap((fn) => (fn.degraded ? [] : (ownedTwice(fn) ?? []))))
      report({
        at: rename,
        data: { kind: 'renamed-after-exits' },
        related: [{ at: owner, message: 'the smart pointer takes it here' }],
        isPreview: true,
      });
    for (const { rename, converted } of lateRenames(file))
      report({
        at: rename,
        data: { kind: 'renamed-after-others' },
        related: [{ at: converted, message: 'a tensor takes it over here' }],
        isPreview: true,
      });
  },
});

const converters = /^(fromDLPack|from_dlpack|ATenFromDLPack|fromDLPackImpl|FromDLPack)$/;
const harmless = /^(PyCapsule_|PyErr_|Py_|static_cast|reinterpret_cast|move|is_cuda|device|defined)/;

/** A tensor was made of what a capsule holds, and calls that may throw come before the capsule is renamed. */
function lateRenames(file: FileFacts): { rename: Call; converted: Call }[] {
  if (file.language === 'c') return [];
  return file.subjects.flatMap((fn) => (fn.degraded ? [] : (lateRename(fn) ?? [])));
}

function lateRename(fn: FunctionFacts): { rename: Call; converted: Call } | undefined {
  const taken = fn.calls.find((call) => call.name === 'PyCapsule_GetPointer' && call.result);
  const converted =
    taken && fn.calls.find((call) => call.id > taken.id && converters.test(call.name) && call.args.some((arg) => mentions(arg, taken.result!)));
  const capsule = taken && pathOf(taken.args[0]);
  const isRename = (call: Call) => call.name === 'PyCapsule_SetName' && samePath(pathOf(call.args[0]), capsule);
  if (!converted || !capsule || fn.calls.some((call) => isRename(call) && call.id < converted.id)) return undefined;
  const rename = fn.calls.find((call) => isRename(call) && call.id > converted.id);
  const mayThrow = (call: Call) => call.id > converted.id && call.id < rename!.id && !call.api && !harmless.test(call.name);
  return rename && fn.calls.some(mayThrow) ? { rename, converted } : undefined;
}

/** A smart pointer takes what a capsule holds, and the function may be left before the capsule is renamed. */
function ownedTwice(fn: FunctionFacts): { rename: Call; owner: Call } | undefined {
  const taken = fn.calls.find((call) => call.name === 'PyCapsule_GetPointer' && call.result);
  const capsule = taken && pathOf(taken.args[0]);
  const renames = fn.calls.filter((call) => call.name === 'PyCapsule_SetName' && samePath(pathOf(call.args[0]), capsule));
  if (!taken || !capsule || renames.length === 0) return undefined;
  const owner = fn.calls.find((call) => call.id > taken.id && ownsTensor(fn, call) && samePath(pathOf(call.args[0]), taken.result));
  if (!owner) return undefined;
  const isOver = (event: Event) =>
    event.kind === 'call' && (renames.includes(event) || (event.name === 'release' && samePath(pathOf(event.receiver), owner.result)));
  const isLeft = [...eventsAfter(owner, { blocked: isOver })].some((event) => event.kind === 'return' || event.kind === 'throw');
  const rename = renames.find((each) => each.id > owner.id);
  return isLeft && rename && !renames.some((each) => each.id < owner.id) ? { rename, owner } : undefined;
}

/** `std::unique_ptr<DLManagedTensor, D> x(raw, d)`, or a type of another name that lets go of it by `release()`. */
function ownsTensor(fn: FunctionFacts, call: Call): boolean {
  if (call.form !== 'construct' || !call.result) return false;
  const type = declarationOf(fn, call.result)?.type ?? '';
  return (
    (/(unique|shared)_ptr</.test(type) && /DLManagedTensor/.test(type) && (call.args.length > 1 || type.includes(','))) ||
    fn.calls.some((each) => each.name === 'release' && samePath(pathOf(each.receiver), call.result))
  );
}

function relatedOf({ trace }: Violation, kind: Kind): Related[] {
  const last = trace.findLast(
    (step) => step.state === (kind === 'deleter-after-free' ? 'freed' : kind === 'finished-without-rename' ? 'borrowed' : 'finished'),
  );
  if (!last) return [];
  const said = { freed: 'freed here', borrowed: 'taken out of the capsule here' }[last.state] ?? 'the deleter runs here';
  return [{ at: last.at, message: said }];
}

/** The file sets all deleters itself, and none frees the struct that it is given or what that lies in: whoever calls it does. */
const leavesStruct = fileQuery((file) => {
  const set = settingDeleters(file);
  return set.length > 0 && set.every(({ value }) => isKeepingStruct(functionOf(file, value)));
});

const settingDeleters = fromFunctions((_, fn) =>
  fn.events.flatMap((event) =>
    event.kind === 'assign' && event.value && pathOf(event.target)?.steps.at(-1) === '.deleter' ? [{ value: event.value }] : [],
  ),
);

/** Nothing gets the struct or its context as it is, neither `delete` nor a function that may free it. */
function isKeepingStruct(deleter: FunctionFacts | undefined): boolean {
  const name = deleter?.params[0]?.name;
  if (!deleter || deleter.degraded || name === undefined) return false;
  const isWhole = (part: Expr) =>
    part.kind === 'path' && part.path.root === name && (part.path.steps.length === 0 || part.path.steps.includes('.manager_ctx'));
  const tells = (event: Event) => expressionsOf(event).some((expr) => [...walk(expr)].some(isWhole));
  return !deleter.events.some((event) => event.kind !== 'test' && tells(event));
}

/** The function is the capsule's own destructor, or the capsule goes where the file does not show what happens to it. */
function capsuleMayKnow(file: FileFacts, { object, at }: Violation): boolean {
  const { fn } = at;
  const capsule = object.origin;
  if (!capsule || isDestructor(file, fn) || fn.kind === 'lambda') return true;
  const isKnown = (event: Event) => event.kind !== 'call' || /^(PyCapsule_|PyErr_|Py_?X?(INCREF|DECREF)|get_pointer)/.test(event.name);
  return fn.calls.some((call) => !isKnown(call) && [call.receiver, ...call.args].some((arg) => mentions(arg, capsule)));
}

function isDestructor(file: FileFacts, fn: FunctionFacts): boolean {
  if (fn.params.length === 1 && fn.returnType === 'void') return true;
  return capsuleArguments(file).some((text) => text.includes(fn.name));
}

const capsuleArguments = fromFunctions((file, fn) =>
  fn.calls.flatMap((call) => (/^PyCapsule_(New|SetDestructor)$/.test(call.name) ? call.args.map((arg) => file.source(arg)) : [])),
);
