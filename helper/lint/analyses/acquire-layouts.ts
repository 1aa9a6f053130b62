// Barriers as they are where a helper of the file is called, and layouts that a program keeps in a variable beside the image.
import type { Assign, Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { lastName, pathOf, samePath, stripCasts, symbolOf } from '../facts/paths';
import { callsTo } from '../flow/calls';
import { resolveCallee } from '../flow/program';
import { functionTable, holdsForAny } from '../memo/table';
import { type Handed, handedBarriers, mentionsExternal, substituted } from './handed-barriers';
import { isExternalFamily } from './image-barriers';

/** The barriers of a function, and those of helpers whose families or layouts it chooses in a call. */
export function barriersSeenIn(file: FileFacts, fn: FunctionFacts): readonly Handed[] {
  if (!mentionsExternal(file) || fn.degraded) return [];
  return [...handedBarriers(file, fn), ...fn.calls.flatMap((call) => chosenIn(file, call))];
}

function chosenIn(file: FileFacts, call: Call): Handed[] {
  const helper = call.api || call.args.length === 0 ? undefined : resolveCallee(file, call);
  if (!helper || helper === call.fn) return [];
  return handedBarriers(file, helper)
    .filter((each) => ['srcQueueFamilyIndex', 'oldLayout'].some((name) => isParam(each, name)))
    .map((each) => atCall(call, helper, each));
}

function isParam(barrier: Handed, name: string): boolean {
  const written = barrier.field(name);
  const path = written && written.value !== 'zero' ? pathOf(written.value) : undefined;
  return path?.kind === 'param' && path.steps.length === 0;
}

function atCall(call: Call, helper: FunctionFacts, barrier: Handed): Handed {
  const field = (name: string) => {
    const written = barrier.field(name);
    const given = substituted(call, helper, written);
    return given && given === written ? { value: given.value, at: call } : given;
  };
  const symbol = (name: string) => {
    const written = field(name);
    return written && written.value !== 'zero' ? symbolOf(stripCasts(written.value)) : undefined;
  };
  return { fn: call.fn, at: call, field, symbol };
}

const undefinedLayout = /^(VK_IMAGE_LAYOUT_UNDEFINED|eUndefined)$/;

const byField = functionTable<string, Assign & { readonly value: Expr }>((_, fn) =>
  fn.events.flatMap((event) => {
    const target = event.kind === 'assign' && event.value && event.op === '=' ? pathOf(event.target) : undefined;
    return target ? [[lastName(target), event as Assign & { readonly value: Expr }] as const] : [];
  }),
);

const creations = callsTo(/^(vkCreateImage|vmaCreateImage)$/);
const importing = holdsForAny((_, fn) => fn.locals.some(({ type }) => /ImportMemory|ExternalMemoryImage/.test(type)));

/**
 * Where the layout that an acquire reads out of a field starts as UNDEFINED: the image is somebody else's, so that it has a layout from
 * the beginning, and only the acquire itself or a release sets the field.
 */
export function startsUndefined(file: FileFacts, barrier: Handed): Expr | Assign | undefined {
  const written = barrier.field('oldLayout');
  const path = written && written.value !== 'zero' ? pathOf(written.value) : undefined;
  const isKept = path && (path.kind === 'this' || path.kind === 'global' || path.steps.length > 0);
  if (!isKept || (creations(file).length > 0 && !importing(file))) return undefined;
  const start = initial(file, barrier.fn, path);
  if (!start) return undefined;
  const others = byField.of(file, lastName(path)).filter((event) => event !== start && !undefinedLayout.test(symbolOf(event.value) ?? ''));
  return others.every(({ fn }) => fn === barrier.fn || isReleaseOnly(file, fn, path)) ? start : undefined;
}

function initial(file: FileFacts, fn: FunctionFacts, path: Path): Expr | Assign | undefined {
  const name = lastName(path);
  const own = path.kind === 'this' && path.steps.length === 1 ? file.classNamed(fn.className ?? '') : undefined;
  const declared = own?.fields.find((field) => field.name === name)?.init ?? (path.kind === 'global' ? file.globalNamed(path.root)?.init : undefined);
  if (declared && undefinedLayout.test(symbolOf(declared) ?? '')) return declared;
  return byField.of(file, name).find((event) => event.fn !== fn && undefinedLayout.test(symbolOf(event.value) ?? ''));
}

/** The function hands the image back and does not begin with the kept layout itself. */
function isReleaseOnly(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  const barriers = handedBarriers(file, fn);
  return barriers.length > 0 && barriers.every((each) => isExternalFamily(each.symbol('dstQueueFamilyIndex')) && !readsField(each, path));
}

function readsField(barrier: Handed, path: Path): boolean {
  const old = barrier.field('oldLayout');
  const read = old && old.value !== 'zero' ? pathOf(old.value) : undefined;
  return samePath(read, path) || (read !== undefined && lastName(read) === lastName(path));
}
