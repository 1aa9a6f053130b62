// Elements of EGL's list of devices that are taken by a number of CUDA's, wherever list and number come from.
import type { Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, pathKey, pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { resolveCallee } from '../flow/program';
import { typeOfPath } from '../flow/visible';
import { fileQuery } from '../memo/query';
import { currentDevice, isCompared, isGivenToCuda, isOrdinal, pythonOrdinal } from './cuda-numbers';
import { ordinalArgument } from './device-ordinals';

const mayListDevices = fileQuery((file) => file.hasToken('word', /QueryDevices|EGLDevice|egl_get_devices/i));

/** `devices[i]`, `devices.at(i)`, `egl_get_devices()[i]`; each index once. */
export function eglByOrdinal(file: FileFacts, fn: FunctionFacts): Expr[] {
  if (!mayListDevices(file)) return [];
  const seen = new Set<string>();
  return fn.events.flatMap((event) =>
    expressionsOf(event).flatMap((root) =>
      walk(root).filter((expr) => {
        const index = indexInto(file, fn, event, expr);
        const text = index && file.source(index);
        if (!index || !text || seen.has(text) || !isOfCuda(file, event, index)) return false;
        seen.add(text);
        return !(pathOf(index) && isCompared(fn, pathOf(index)!.root));
      }),
    ),
  );
}

/** The number by which an element of a list of EGL devices is taken. */
function indexInto(file: FileFacts, fn: FunctionFacts, at: Event, expr: Expr): Expr | undefined {
  if (expr.kind === 'path') {
    const last = expr.path.steps.findLastIndex((step) => step.startsWith('['));
    const list = { ...expr.path, steps: expr.path.steps.slice(0, last) };
    return last >= 0 && isListOfDevices(file, at, list) ? written(file, fn, expr, expr.path.steps[last]!.slice(1, -1)) : undefined;
  }
  if (expr.kind === 'call' && expr.name === 'at' && expr.args.length === 1)
    return pathOf(expr.receiver) && isListOfDevices(file, at, pathOf(expr.receiver)!) ? expr.args[0] : undefined;
  const [list, index] = expr.kind === 'other' && expr.operands.length === 2 ? expr.operands : [];
  return list?.kind === 'call' && lists.test(list.name) ? index : undefined;
}

const lists = /^(egl_?get_devices|(egl_?)?query_?devices(_?EXT)?)$/i;

function isListOfDevices(file: FileFacts, at: Event, list: Path): boolean {
  const { fn } = at;
  if (/\bEGLDeviceEXT\b/.test(typeOfPath(file, fn, list) ?? '')) return true;
  return fn.events.some((event) => {
    if (event.kind === 'assign') {
      const value = event.value && stripCasts(event.value);
      return value?.kind === 'call' && value.args.length === 0 && lists.test(value.name) && samePath(pathOf(event.target), list);
    }
    return event.kind === 'call' && lists.test(event.api?.name ?? event.name) && samePath(pathOf(event.args[1]), list);
  });
}

/** The expression between the brackets: a call of this function, or a path. */
function written(file: FileFacts, fn: FunctionFacts, element: Expr, text: string): Expr | undefined {
  const isInside = ({ span }: Expr) => span.start >= element.span.start && span.end <= element.span.end;
  const call = fn.calls.find((each) => isInside(each) && file.source(each).replace(/\s/g, '') === text.replace(/\s/g, ''));
  if (call) return call;
  const [root, ...names] = text.split(/\.|->/);
  if (!root || ![root, ...names].every((name) => /^[A-Za-z_]\w*$/.test(name))) return undefined;
  const steps = names.map((name) => `.${name}`);
  const isSelf = /^(self|this)$/.test(root);
  const has = (variables: FunctionFacts['locals']) => !isSelf && variables.some(({ name }) => name === root);
  const kind = has(fn.params) ? 'param' : has(fn.locals) ? 'local' : 'this';
  const isField = kind === 'this' && !isSelf;
  const path: Path = kind === 'this' ? { root: 'this', kind, steps: isField ? [`.${root}`, ...steps] : steps } : { root, kind, steps };
  return { kind: 'path', path, span: element.span };
}

/** CUDA's current device, the index of a tensor's device, what CUDA gave or is given, or what a helper of the file gets so. */
function isOfCuda(file: FileFacts, at: Event, expr: Expr, depth = 3): boolean {
  const value = valueAt(at, stripCasts(expr));
  if (!value || value === 'zero') return false;
  if (value.kind === 'call') {
    if (currentDevice.test(value.callee) || /^(at|c10)::cuda::current_device$/.test(value.callee)) return true;
    if (value.args.length === 0 && value.receiver && isOfTensor(value.name, value.receiver)) return true;
    const callee = value.api || depth === 0 ? undefined : resolveCallee(file, value);
    const returned = callee?.events.flatMap((event) => (event.kind === 'return' && event.value ? [{ event, value: event.value }] : [])) ?? [];
    return returned.length > 0 && returned.every((each) => isOfCuda(file, each.event, each.value, depth - 1));
  }
  return [value, expr].some((each) => each.kind === 'path' && isNumberOfCuda(file, at.fn, each.path));
}

/** `tensor.get_device()`, `tensor.device().index()` */
function isOfTensor(name: string, receiver: Expr): boolean {
  return name === 'get_device' || (name === 'index' && receiver.kind === 'call' && receiver.name === 'device');
}

function isNumberOfCuda(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  const [owner, last] = [path.steps.at(-2) ?? path.root, path.steps.at(-1)];
  if (/^\.(index|ordinal)$/.test(last ?? '') && /device/i.test(owner) && !/egl/i.test(owner)) return true;
  if (typeOfPath(file, fn, path) === 'CUdevice') return true;
  if (isOrdinal(fn, path)) return true;
  if (file.language === 'python' && isGivenToCuda(fn, path)) return true;
  return path.kind === 'this' && fn.className !== undefined && isGivenByClass(file, fn.className, path);
}

/** Some method hands the field to CUDA as an ordinal. */
function isGivenByClass(file: FileFacts, name: string, path: Path): boolean {
  const given = (each: FunctionFacts) => each.calls.flatMap((call) => pathOf(ordinalArgument(call) ?? pythonOrdinal(call)) ?? []);
  return file.functionsOfClass(name).some((fn) => given(fn).some((each) => each.kind === 'this' && pathKey(each) === pathKey(path)));
}
