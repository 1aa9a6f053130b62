// Resources of OpenGL or Direct3D that CUDA registers: their API tells which CUDA device it runs on, to whoever asks.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathKey, pathOf, stripCasts } from '../facts/paths';
import { assignmentsTo } from '../flow/calls';
import { fileQuery } from '../memo/query';
import { functionsWhere } from '../memo/table';

const registering = /^(cuda|cu|hip)Graphics(GLRegister(Buffer|Image)|D3D(9|10|11)RegisterResource|VDPAURegister\w+)$/;
const pythons = /^pycuda\.gl\.(RegisteredBuffer|RegisteredImage|BufferObject|make_context)$|^cupyx?\.\w*\.?graphicsGLRegister(Buffer|Image)$/;

function registers(call: Call): boolean {
  return registering.test(call.api?.name ?? call.name) || pythons.test(call.callee);
}

const registeringFunctions = functionsWhere((_, fn) => fn.calls.some(registers));

/** The devices of the context, or a search for a device by something that names it. */
const asks = fileQuery((file) => file.hasToken('word', /(GL|D3D\d+|VDPAU)GetDevices?$|UUID|[uU]uid|LUID|[lL]uid|CUDA_DEVICE_NV/));

/**
 * What registers resources of a graphics context, in the class of a function that chooses the device or in its file, while nothing here
 * asks which device that context is on. A program that is one file with its own `main` chooses for itself.
 */
export function unaskedContext(file: FileFacts, fn: FunctionFacts): string | undefined {
  const isProgram = fn.className === undefined && ['main', 'WinMain', 'wWinMain', '_tWinMain'].some((name) => file.functionsNamed(name).length > 0);
  if (isProgram || fn.kind === 'module' || asks(file)) return undefined;
  const all = registeringFunctions(file);
  const own = all.find((each) => each === fn || (fn.className !== undefined && each.className === fn.className)) ?? all.find(() => !fn.className);
  return own?.calls.find(registers)?.name;
}

/** A constant of the file, or a field that is never anything but what its class says: `static constexpr int device = 0;`. */
export function constantOf(file: FileFacts, fn: FunctionFacts, expr: Expr | undefined): Expr | undefined {
  const path = pathOf(expr && stripCasts(expr));
  if (!path || path.steps.length > 1) return undefined;
  const declared =
    path.kind === 'this' ? fieldNamed(file, fn, path) : path.kind === 'global' && path.steps.length === 0 ? named(file, path.root) : undefined;
  if (!declared?.init) return undefined;
  return /\bconst(expr)?\b/.test(declared.type) || assignmentsTo(file, pathKey(path)).length === 0 ? declared.init : undefined;
}

function fieldNamed(file: FileFacts, fn: FunctionFacts, path: Path) {
  const owner = file.classNamed(fn.className ?? '');
  return owner?.bases.length === 0 && !owner.constructorElsewhere ? owner.fields.find((each) => `.${each.name}` === path.steps[0]) : undefined;
}

function named(file: FileFacts, name: string) {
  const found = file.globalNamed(name.split('::').at(-1)!);
  return found && (found.isStatic || /\bconst(expr)?\b/.test(found.type)) ? found : undefined;
}
