/**
 * # device/ordinal-namespace
 *
 * ## What it does
 * Reports a number of one numbering used in another: a Vulkan or EGL device or an NVML handle chosen by a CUDA ordinal, CUDA given an index into
 * EGL's or NVML's devices, an entry of `CUDA_VISIBLE_DEVICES` read as an integer, the variable set for another process to an ordinal of this one.
 *
 * ## Why is this bad
 * CUDA counts what `CUDA_VISIBLE_DEVICES` leaves visible, fastest first unless told otherwise. NVML and `nvidia-smi` count all boards by
 * PCI, EGL and Vulkan count in orders of their own. The numbers agree on a machine with one GPU. Entries of the variable may be `GPU-` or `MIG-`
 * UUIDs, and its integers are no ordinals either: the first entry is always CUDA device 0.
 *
 * ## Example
 * ```python
 * import pynvml
 * import torch
 * def used_memory():
 *     pynvml.nvmlInit()
 *     handle = pynvml.nvmlDeviceGetHandleByIndex(torch.cuda.current_device())
 *     return pynvml.nvmlDeviceGetMemoryInfo(handle).used
 * ```
 *
 * ## Use instead
 * ```python
 * import pynvml
 * def used_memory(uuid_text):
 *     pynvml.nvmlInit()
 *     handle = pynvml.nvmlDeviceGetHandleByUUID(uuid_text)
 *     return pynvml.nvmlDeviceGetMemoryInfo(handle).used
 * ```
 *
 * ## What it cannot see
 * What a plain number means: a variable counts as a CUDA ordinal when CUDA gave it, takes it in the same function, or its name says so
 * (`device_id` does not), and no helper or caller in the file gives it another value. Lists of EGL's devices that come from a function of
 * another file whose name does not say so.
 */
import { ordinalsForChildren } from '../../analyses/child-devices';
import { currentDevice, isCompared, isGivenToCuda, isOrdinal, pythonOrdinal } from '../../analyses/cuda-numbers';
import { indexOf, isCudaOrdinal, variablePath } from '../../analyses/device-identity';
import { ordinalArgument, readsPath } from '../../analyses/device-ordinals';
import { eglByOrdinal, eglNumbersOfCuda } from '../../analyses/egl-elements';
import { vulkanByOrdinal } from '../../analyses/indexed-devices';
import { isReplacedOn } from '../../analyses/python-handlers';
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { expressionsOf, pathOf, samePath, stripCasts, symbolOf, walk } from '../../facts/paths';
import { definitionsAt, valueAt } from '../../flow/definitions';
import { typeOfPath } from '../../flow/visible';
import { fileQuery } from '../../memo/query';
import { functionTable } from '../../memo/table';
import { defineRule } from '../rule';

type Kind = 'vulkan-by-cuda' | 'egl-by-cuda' | 'nvml-by-cuda' | 'cuda-by-other' | 'variable' | 'child';

export const rule = defineRule<{ readonly kind: Kind; readonly text: string }>({
  meta: {
    id: 'device/ordinal-namespace',
    summary: 'A device number of CUDA, NVML, EGL or CUDA_VISIBLE_DEVICES is used in another numbering.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ kind, text }) {
    switch (kind) {
      case 'egl-by-cuda':
        return `\`${text}\` takes a CUDA ordinal as an index into EGL's devices, which are in another order: with several GPUs this is another one. Ask each EGL device for EGL_CUDA_DEVICE_NV and compare.`;
      case 'vulkan-by-cuda':
        return `\`${text}\` takes a CUDA ordinal as an index into Vulkan's devices, which are in another order: with several GPUs this is another one. Compare VkPhysicalDeviceIDProperties::deviceUUID with the UUID from cuDeviceGetUuid_v2.`;
      case 'nvml-by-cuda':
        return `\`${text}\` gives NVML a CUDA ordinal. NVML counts all boards by PCI, CUDA only the visible ones in its own order: with several GPUs this is another one. Find the handle by UUID or PCI bus id.`;
      case 'cuda-by-other':
        return `\`${text}\` gives CUDA an index into the devices of another API, which counts in another order: with several GPUs this is another one. Compare UUIDs, or ask the other API for the CUDA device.`;
      case 'child':
        return `\`${text}\` is an ordinal of this process, which counts only the GPUs that are visible to it; a process that is given it in CUDA_VISIBLE_DEVICES reads it against all GPUs of the machine. Pass the GPU's UUID (torch.cuda.get_device_properties(...).uuid), or the entry of this process's own variable.`;
      case 'variable':
        return `\`${text}\` reads an entry of CUDA_VISIBLE_DEVICES as an integer. The entry may be a GPU- or MIG- UUID, and its number is not the ordinal that CUDA uses, which starts at 0 for the first entry. Count what CUDA enumerates instead.`;
    }
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      for (const expr of vulkanByOrdinal(file, fn)) report({ at: expr, data: { kind: 'vulkan-by-cuda', text: shortened(file.source(expr)) } });
      for (const expr of [...eglByOrdinal(file, fn), ...eglNumbersOfCuda(file, fn)])
        report({ at: expr, data: { kind: 'egl-by-cuda', text: shortened(file.source(expr)) } });
      for (const { expr, kind } of [
        ...eglByCuda(file, fn),
        ...eglInPython(file, fn),
        ...nvmlByCuda(file, fn),
        ...cudaByOther(file, fn),
        ...parsedVariable(file, fn),
      ])
        report({ at: expr, data: { kind, text: shortened(file.source(expr)) } });
      for (const expr of ordinalsForChildren(file, fn))
        if (!knowsUuids(file)) report({ at: expr, data: { kind: 'child', text: shortened(file.source(expr)) } });
    }
  },
});

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}

interface Found {
  readonly expr: Expr;
  readonly kind: Kind;
}

const namesEglDevices = fileQuery((file) => file.hasToken('word', /QueryDevices|EGLDevice/i) || file.hasToken('string', /QueryDevices/));

/** `devices[index]` of an array of EGL devices, with the index. */
function eglElements(file: FileFacts, fn: FunctionFacts): { expr: Expr; index: string }[] {
  if (!namesEglDevices(file)) return [];
  const filled = fn.calls.filter((call) => call.api?.name === 'eglQueryDevices').map((call) => call.api!.path('devices'));
  const isDevices = (path: Path) => filled.some((each) => samePath(each, path)) || /EGLDeviceEXT/.test(typeOfPath(file, fn, path) ?? '');
  const seen = new Set<string>();
  return fn.events.flatMap((event) =>
    expressionsOf(event).flatMap((root) =>
      [...walk(root)].flatMap((expr) => {
        const found = expr.kind === 'path' ? indexOf(expr.path) : undefined;
        if (!found || !isDevices(found.array) || seen.has(found.index)) return [];
        seen.add(found.index);
        return [{ expr, index: found.index }];
      }),
    ),
  );
}

function eglByCuda(file: FileFacts, fn: FunctionFacts): Found[] {
  return eglElements(file, fn)
    .filter(({ index }) => isOrdinal(fn, variablePath(fn, index)) && !isCompared(fn, index))
    .map(({ expr }) => ({ expr, kind: 'egl-by-cuda' as const }));
}

/** Python: `eglGetPlatformDisplayEXT(platform, devices[gpu], None)`. */
function eglInPython(file: FileFacts, fn: FunctionFacts): Found[] {
  if (file.language !== 'python') return [];
  const isOfCuda = (path: Path) => isOrdinal(fn, path) || isGivenToCuda(fn, path);
  return fn.events.flatMap((event): Found[] => {
    if (event.kind !== 'call' || !/^eglGetPlatformDisplay(EXT)?$/.test(event.name)) return [];
    const expr = event.args.find((arg) => arg.kind === 'path' && isOfCudaIndex(arg.path));
    return expr ? [{ expr, kind: 'egl-by-cuda' }] : [];
  });

  function isOfCudaIndex(path: Path): boolean {
    const found = indexOf(path);
    return found !== undefined && isOfCuda(variablePath(fn, found.index)) && !isCompared(fn, found.index);
  }
}

const byIndex = /^nvmlDeviceGetHandleByIndex(_v2)?$/;

function nvmlByCuda(file: FileFacts, fn: FunctionFacts): Found[] {
  return fn.calls
    .filter((call) => byIndex.test(call.name) && isFromCuda(file, fn, call, call.args[0]))
    .map((expr) => ({ expr, kind: 'nvml-by-cuda' as const }));
}

/** CUDA's current device, the index of a Torch device, `device_id` of a tensor, or a variable that CUDA gave. */
function isFromCuda(file: FileFacts, fn: FunctionFacts, at: Event, written: Expr | undefined): boolean {
  if (!written) return false;
  const value = valueAt(at, stripCasts(written));
  if (value === undefined || value === 'zero') return false;
  if (value.kind === 'call') return currentDevice.test(value.callee);
  const path = pathOf(value) ?? pathOf(written);
  if (!path) return false;
  const last = path.steps.at(-1);
  if (last === '.index' && /device/i.test(path.steps.at(-2) ?? path.root)) return true;
  if (last === '.device_id') return isGivenToCuda(fn, path);
  return last === undefined && isOrdinal(fn, path) && !isLoopOverNvml(fn, path) && !isOtherwiseDefined(file, at, path);
}

/** What the variable holds here, or what a caller in the file hands over, comes from something else than CUDA: a helper may have looked it up. */
function isOtherwiseDefined(file: FileFacts, at: Event, path: Path): boolean {
  const values = definitionsAt(at, path).values.flatMap(({ value }) => (value === 'zero' ? [] : [stripCasts(value)]));
  if (values.some((value) => value.kind === 'call' || value.kind === 'other'))
    return !values.some((value) => value.kind === 'call' && isCudaSource(value));
  const position = path.kind === 'param' ? at.fn.params.filter(({ name }) => name !== 'self').findIndex(({ name }) => name === path.root) : -1;
  return position >= 0 && callsOf.of(file, at.fn.name).some((call) => isLookedUp(call, call.args[position]));
}

function isCudaSource(value: Call): boolean {
  return currentDevice.test(value.callee) || givesOrdinal(value) || value.args.some((arg) => arg.kind === 'call' && givesOrdinal(arg));
}

/** With the error beside it in cuda-python, so what takes its result is a check and looks nothing up. */
function givesOrdinal(call: Call): boolean {
  return /^(cudaGetDevice|cuCtxGetDevice)$/.test(call.name) || call.api?.api.params.some((param) => param.name === 'ordinal' && param.out) === true;
}

/** An index that the caller counts or asks for itself. */
function isLookedUp(call: Call, arg: Expr | undefined): boolean {
  const bare = arg && stripCasts(arg);
  if (bare?.kind === 'call') return !isCudaSource(bare);
  const path = pathOf(bare);
  return path !== undefined && !isCudaOrdinal(call.fn, path);
}

const callsOf = functionTable((_, fn) => fn.calls.map((call) => [call.name, call] as const));

/** Counted up to what NVML counts. */
function isLoopOverNvml(fn: FunctionFacts, path: Path): boolean {
  return (
    fn.calls.some((call) => /^nvmlDeviceGetCount/.test(call.name)) &&
    fn.events.some((event) => event.kind === 'assign' && event.op === '++' && samePath(pathOf(event.target), path))
  );
}

/** CUDA is given the index under which the function uses a device of EGL or NVML. */
function cudaByOther(file: FileFacts, fn: FunctionFacts): Found[] {
  const others = new Map<string, Found>([
    ...eglElements(file, fn).map(({ expr, index }) => [index, { expr, kind: 'egl-by-cuda' }] as const),
    ...fn.calls
      .filter((call) => byIndex.test(call.name))
      .flatMap((expr) => (nameOf(expr.args[0]) ? [[nameOf(expr.args[0])!, { expr, kind: 'nvml-by-cuda' }] as const] : [])),
  ]);
  if (others.size === 0) return [];
  return fn.calls.flatMap((call) => {
    const arg = ordinalArgument(call) ?? pythonOrdinal(call);
    const name = nameOf(arg);
    const other = name ? others.get(name) : undefined;
    if (!name || !other || isCudaOrdinal(fn, { root: name, kind: 'param', steps: [] })) return [];
    // What the number is first used for is taken for what it is.
    return [other.expr.span.start > call.span.start ? other : { expr: call, kind: 'cuda-by-other' as const }];
  });
}

function nameOf(expr: Expr | undefined): string | undefined {
  const bare = expr && stripCasts(expr);
  return bare?.kind === 'path' && bare.path.steps.length === 0 && (bare.path.kind === 'local' || bare.path.kind === 'param')
    ? bare.path.root
    : undefined;
}

const parsers = /^(atoi|atol|strtol|strtoul|stoi|stol|stoul|from_chars|int|sscanf|to_int)$/;

/** `int(text)`, `map(int, texts)`. */
function parses(call: Call): boolean {
  return parsers.test(call.name) || (call.callee === 'map' && symbolOf(call.args[0]) === 'int');
}

/** `atoi(getenv("CUDA_VISIBLE_DEVICES"))`, `int(os.environ["CUDA_VISIBLE_DEVICES"].split(",")[0])`. */
function parsedVariable(file: FileFacts, fn: FunctionFacts): Found[] {
  if (/isdigit|isdecimal|isnumeric/.test(fn.calls.map((call) => call.name).join())) return [];
  const holders = variablesOf(fn);
  const found = fn.calls.filter(
    (call) =>
      parses(call) && call.args.some((arg) => readsVariable(arg, holders)) && !(call.callee === 'int' && isReplacedOn('ValueError', file, call)),
  );
  return found.length > 0 && !knowsUuids(file) ? found.map((expr) => ({ expr, kind: 'variable' as const })) : [];
}

const knowsUuids = fileQuery((file) => file.hasToken('string', /\b(MIG|GPU)-/));

/** Locals that hold the variable's text or parts of it. */
function variablesOf(fn: FunctionFacts): Path[] {
  const holders: Path[] = [];
  for (const event of fn.events) {
    const target = event.kind === 'assign' && event.value && readsVariable(event.value, holders) ? pathOf(event.target) : undefined;
    if (target && !holders.some((each) => samePath(each, target))) holders.push({ ...target, steps: [] });
  }
  return holders;
}

function readsVariable(expr: Expr, holders: readonly Path[]): boolean {
  const parts = [...walk(expr)];
  const named = (part: Expr) =>
    (part.kind === 'call' &&
      /^(getenv|secure_getenv|get|_dupenv_s)$/.test(part.name) &&
      part.args.some((arg) => arg.kind === 'string' && arg.value === 'CUDA_VISIBLE_DEVICES')) ||
    (part.kind === 'path' && part.path.steps.some((step) => /^\[["']CUDA_VISIBLE_DEVICES["']\]$/.test(step)));
  return parts.some((part) => named(part) || holders.some((path) => readsPath(part, path) || (part.kind === 'path' && part.path.root === path.root)));
}
