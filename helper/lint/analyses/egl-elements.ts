// Elements of EGL's list of devices that are taken by a number of CUDA's, wherever list and number come from.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path, PathExpr } from '../facts/index';
import { expressionsOf, pathKey, pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { definitionsAt, valueAt } from '../flow/definitions';
import { resolveCallee } from '../flow/program';
import { typeOfPath } from '../flow/visible';
import { fileQuery, functionQuery } from '../memo/query';
import { currentDevice, isCompared, isGivenToCuda, isOrdinal, pythonOrdinal } from './cuda-numbers';
import { ordinalArgument } from './device-ordinals';

const mayListDevices = fileQuery((file) => file.hasToken('word', /QueryDevices|EGLDevice|egl\w*devices/i) || file.hasToken('string', /QueryDevices/));

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
  return list?.kind === 'call' && lists(file, list) ? index : undefined;
}

/** By its name, or a helper of the file that asks EGL for them. */
function lists(file: FileFacts, call: Call): boolean {
  if (/^(egl_?get_devices|(egl_?)?query_?devices(_?EXT)?|(?=\w*egl)\w*(devices|enumerate\w*))$/i.test(call.name)) return true;
  const helper = call.api ? undefined : resolveCallee(file, call);
  return helper !== undefined && !/^\w*device$/i.test(helper.name) && asksEgl(file, helper);
}

const asksEgl = functionQuery((file, fn) =>
  file.tokensOf(fn).some(({ kind, text }) => kind !== 'number' && /^["']?(eglQueryDevices|egl_get_devices)/.test(text)),
);

function isListOfDevices(file: FileFacts, at: Event, list: Path): boolean {
  const { fn } = at;
  if (/\bEGLDeviceEXT\b/.test(typeOfPath(file, fn, list) ?? '')) return true;
  const sources = list.kind === 'this' && fn.className ? file.functionsOfClass(fn.className) : [fn];
  return sources.some((each) => each.events.some((event) => fillsList(file, event, list)));
}

function fillsList(file: FileFacts, event: Event, list: Path): boolean {
  if (event.kind === 'call') return samePath(pathOf(event.args[1]), list) && lists(file, event);
  const value = event.kind === 'assign' && event.value ? stripCasts(event.value) : undefined;
  return event.kind === 'assign' && value?.kind === 'call' && value.args.length === 0 && samePath(pathOf(event.target), list) && lists(file, value);
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
  return [value, expr].some((each) => each.kind === 'path' && (isNumberOfCuda(file, at.fn, each.path) || isAlwaysOfCuda(file, at, each, depth)));
}

/** `index = tensor.device.index`, and where that is None, `index = torch.cuda.current_device()`. */
function isAlwaysOfCuda(file: FileFacts, at: Event, { path }: PathExpr, depth: number): boolean {
  if (path.kind !== 'local' || path.steps.length > 0 || depth === 0) return false;
  const { values, unknown } = definitionsAt(at, path);
  return !unknown && values.length > 1 && values.every(({ value, at: from }) => value !== 'zero' && isOfCuda(file, from, value, depth - 1));
}

const variable = /^\[?["']?(MUJOCO_)?EGL_(DEVICE_ID|VISIBLE_DEVICES)["']?\]?$/;

/** Libraries that index EGL's devices themselves: by a variable of the environment, by a keyword, by a function of that name. */
export function eglNumbersOfCuda(file: FileFacts, fn: FunctionFacts): Expr[] {
  return fn.events.flatMap((event): Expr[] => {
    if (event.kind === 'assign') return isVariable(event.target) && event.value && isMadeOfCuda(file, event, event.value) ? [event.target] : [];
    const given = event.kind === 'call' ? eglNumber(event) : undefined;
    return given && event.kind === 'call' && isMadeOfCuda(file, event, given) ? [event] : [];
  });
}

function isVariable(target: Expr): boolean {
  return target.kind === 'path' && variable.test(target.path.steps.at(-1) ?? '');
}

function eglNumber({ name, args, keywords }: Call): Expr | undefined {
  if (/^(setdefault|putenv|setenv|_putenv_s)$/.test(name)) return args[0]?.kind === 'string' && variable.test(args[0].value) ? args[1] : undefined;
  if (/^(egl_?)?get_device_by_index$/.test(name)) return args[0];
  const backend = keywords.get('backend');
  return /^create_(standalone_)?context$/.test(name) && backend?.kind === 'string' && backend.value === 'egl'
    ? keywords.get('device_index')
    : undefined;
}

/** The number, or a text of it. */
function isMadeOfCuda(file: FileFacts, at: Event, value: Expr): boolean {
  return walk(value).some((part) => (part.kind === 'path' || part.kind === 'call') && isOfCuda(file, at, part));
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
