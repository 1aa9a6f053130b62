// Enumerated Vulkan devices that are taken by a number of CUDA's.
import type { Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, pathKey, pathOf, stripCasts, walk } from '../facts/paths';
import { typeOfPath } from '../flow/visible';
import { comparisonsIn, isCudaCall, isCudaOrdinal, variablePath } from './device-identity';

/** `devices[i]`, `devices.at(i)` and `instance.enumeratePhysicalDevices()[i]` where `i` is a CUDA ordinal. */
export function vulkanByOrdinal(file: FileFacts, fn: FunctionFacts): Expr[] {
  const seen = new Set<string>();
  const given = new Set(numbersForCuda(file, fn));
  return fn.events.flatMap((event) =>
    expressionsOf(event).flatMap((root) =>
      [...walk(root)].filter((expr) => {
        const found = elementOf(file, fn, expr);
        if (!found || seen.has(found.key)) return false;
        const isOrdinal = given.has(found.index) || (/^\w+$/.test(found.index) && isCudaOrdinal(fn, variablePath(fn, found.index)));
        if (!isOrdinal || isCompared(fn, found.index)) return false;
        seen.add(found.key);
        return true;
      }),
    ),
  );
}

/** What this function gives to CUDA as an ordinal; of fields, what any method of the class gives. */
function numbersForCuda(file: FileFacts, fn: FunctionFacts): string[] {
  const inFunction = (each: FunctionFacts) => each.calls.filter(isCudaCall).flatMap((call) => pathOf(call.api!.arg('ordinal')) ?? []);
  const methods = fn.className ? file.functionsOfClass(fn.className) : [];
  return [...inFunction(fn), ...methods.flatMap(inFunction).filter((path) => path.kind === 'this')].map(written);
}

/** As one writes it inside of brackets. */
function written(path: Path): string {
  return pathKey(path).replace(/^this\./, '');
}

interface Element {
  readonly index: string;
  readonly key: string;
}

function elementOf(file: FileFacts, fn: FunctionFacts, expr: Expr): Element | undefined {
  if (expr.kind === 'path') {
    const at = expr.path.steps.findLastIndex((step) => /^\[[A-Za-z_][\w.]*(->\w+)*\]$/.test(step));
    if (at < 0) return undefined;
    const array = { ...expr.path, steps: expr.path.steps.slice(0, at) };
    return isPhysicalDevices(file, fn, array) ? element(expr.path.steps[at]!.slice(1, -1), pathKey(array)) : undefined;
  }
  if (expr.kind === 'call' && expr.name === 'at' && expr.args.length === 1 && expr.receiver) {
    const index = pathOf(expr.args[0]);
    return index && areDevices(file, fn, expr.receiver) ? element(written(index), file.source(expr.receiver)) : undefined;
  }
  if (expr.kind !== 'other' || expr.operands.length !== 2) return undefined;
  const [devices, number] = expr.operands;
  const index = pathOf(number);
  return devices?.kind === 'call' && index && areDevices(file, fn, devices) ? element(written(index), file.source(devices)) : undefined;
}

function element(index: string, array: string): Element {
  const name = index.replace(/->/g, '.').replace(/^this\./, '');
  return { index: name, key: `${array}[${name}]` };
}

function areDevices(file: FileFacts, fn: FunctionFacts, expr: Expr): boolean {
  if (expr.kind === 'call') return expr.api?.name === 'vkEnumeratePhysicalDevices';
  return expr.kind === 'path' && isPhysicalDevices(file, fn, expr.path);
}

function isPhysicalDevices(file: FileFacts, fn: FunctionFacts, array: Path): boolean {
  const made = fn.events.find((event) => event.kind === 'assign' && event.declares?.name === array.root && array.steps.length === 0);
  const value = made?.kind === 'assign' && made.value ? stripCasts(made.value) : undefined;
  if (value?.kind === 'call' && value.api?.name === 'vkEnumeratePhysicalDevices') return true;
  return /^(std::vector<|std::array<|std::span<)?(const )?(VkPhysicalDevice|vk::(raii::)?PhysicalDevice)\b/.test(typeOfPath(file, fn, array) ?? '');
}

/** Compared for being equal with something else: the index is found, not assumed. */
function isCompared(fn: FunctionFacts, name: string): boolean {
  return comparisonsIn(fn).some(({ sides }) => sides.some((side) => side.kind === 'path' && written(side.path) === name));
}
