/**
 * # device/hardcoded-ordinal
 *
 * ## What it does
 * Reports CUDA ordinal 0, or `cuda:0`, where the device is known: in the search for the Vulkan device that belongs to CUDA's, beside a
 * mapped output or a tensor that names its device, beside a parameter that names it, in a class or with a struct that holds the UUID of the
 * Vulkan device or an ordinal and uses neither, and where resources of an OpenGL or Direct3D context are registered and nothing asks which
 * device that context is on. A search by UUID that is written and never made counts as none.
 *
 * ## Why is this bad
 * Ordinal 0 is right on every machine with one GPU. With several, the output lies on one device and the work or the match goes to
 * another: an invalid handle at best, silent copies over the bus or the wrong pixels otherwise.
 *
 * ## Example
 * ```python
 * import warp as wp
 * from ovrtx import Device
 * def blur(render_var, kernel):
 *     with render_var.map(device=Device.CUDA) as mapping:
 *         pixels = wp.from_dlpack(mapping)
 *         with wp.ScopedDevice("cuda:0"):
 *             stream = wp.get_stream()
 *             mapping.wait_on(stream.cuda_stream)
 *             wp.launch(kernel, dim=pixels.shape, inputs=[pixels])
 *             mapping.unmap(stream=stream.cuda_stream)
 * ```
 *
 * ## Use instead
 * ```python
 * import warp as wp
 * from ovrtx import Device
 * def blur(render_var, kernel):
 *     with render_var.map(device=Device.CUDA) as mapping:
 *         pixels = wp.from_dlpack(mapping)
 *         with wp.ScopedDevice(pixels.device):
 *             stream = wp.get_stream()
 *             mapping.wait_on(stream.cuda_stream)
 *             wp.launch(kernel, dim=pixels.shape, inputs=[pixels])
 *             mapping.unmap(stream=stream.cuda_stream)
 * ```
 *
 * ## What it cannot see
 * Whether a program will ever meet a second GPU. A literal ordinal where nothing names a device is left alone, and so is a match in
 * a function that also works on the device that it writes down. `main` of a program with a window chooses for itself.
 */
import { constantOf, unaskedContext } from '../../analyses/asked-contexts';
import { isCudaCall } from '../../analyses/device-identity';
import { choosesDevice, isZero, ordinalArgument, ordinalParameter } from '../../analyses/device-ordinals';
import { isTensor } from '../../analyses/dlpack';
import { cudaMappings } from '../../analyses/python-mappings';
import { isOrdinalVariable, unaskedIdentity, unreadOrdinal } from '../../analyses/unasked-devices';
import type { Call, Expr, FileFacts, FunctionFacts } from '../../facts/index';
import { expressionsOf, mentions, pathOf, walk } from '../../facts/paths';
import { resolveCallee } from '../../flow/program';
import { defineRule } from '../rule';

type Where = 'match' | 'output' | 'parameter' | 'identity' | 'ordinal' | 'context';

export const rule = defineRule<{ readonly where: Where; readonly text: string; readonly name: string }>({
  meta: {
    id: 'device/hardcoded-ordinal',
    summary: 'CUDA ordinal 0 is written down where the device is known.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ where, text, name }) {
    const known = {
      match:
        'in the search for the Vulkan device that belongs to CUDA: it finds the first CUDA device, whichever one the program uses. Pass the ordinal that the program renders and computes on',
      output: `beside \`${name}\`, which names the device it lies on: with several GPUs this is another one. Take the ordinal from its \`device.device_id\``,
      identity: `although \`${name}\` says which device the Vulkan side uses, and nothing in this file compares it with a device of CUDA's: with several GPUs this is another one. Look for the device with that UUID`,
      ordinal: `although \`${name}\` names the device, and nothing in this file reads it: with several GPUs the caller's choice is lost. Use it`,
      context: `although \`${name}\` shares with the device of the current context: where that is another GPU, the call fails or every frame is copied from card to card. Ask which device it is, with cudaGLGetDevices or cudaD3D11GetDevice`,
      parameter: `and \`${name}\`, which names the device, is not used: with several GPUs the caller's choice is lost. Use the parameter`,
    }[where];
    return `\`${text}\` writes CUDA device 0 down ${known}.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      for (const call of fn.calls) {
        const literal = literalIn(file, call);
        const known = literal && whatIsKnown(file, call);
        if (known) report({ at: call, data: { ...known, text: shortened(file.source(call)) } });
      }
    }
  },
});

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}

const pythonDevices =
  /^(torch\.cuda\.(set_device|device)|torch\.device|cupy\.cuda\.Device|cupy\.cuda\.runtime\.setDevice|warp\.(ScopedDevice|get_device|set_device|get_stream)|numba\.cuda\.select_device|pycuda\.driver\.Device)$/;

/** The literal ordinal that a call is given. */
function literalIn(file: FileFacts, call: Call): Expr | undefined {
  if (file.language === 'python') {
    const given = pythonDevices.test(call.callee) ? call.args[0] : (bindingOrdinal(call) ?? placeOf(call));
    return given && isFirst(given) ? given : undefined;
  }
  const arg = ordinalArgument(call) ?? passedOn(file, call);
  return isZero(call, arg) || isZero(call, constantOf(file, call.fn, arg)) ? arg : undefined;
}

/** CUDA's own functions in Python: `driver.cuDeviceGet(0)`, `libcuda.cuDeviceGet(byref(device), 0)`. */
function bindingOrdinal({ name, args }: Call): Expr | undefined {
  if (/^(cuda|hip)SetDevice$/.test(name)) return args[0];
  return /^(cu|hip)DeviceGet$/.test(name) ? args.at(-1) : undefined;
}

function isFirst(given: Expr): boolean {
  return (given.kind === 'number' && given.value === 0) || (given.kind === 'string' && given.value === 'cuda:0');
}

/** Where something is made or copied to: `torch.zeros(4, device="cuda:0")`, `frame.to("cuda:0")`. */
function placeOf(call: Call): Expr | undefined {
  const given = call.name === 'to' && call.receiver ? call.args[0] : undefined;
  const place = call.keywords.get('device') ?? given;
  return place?.kind === 'string' ? place : undefined;
}

/** The argument that a function of the file uses as an ordinal. */
function passedOn(file: FileFacts, call: Call): Expr | undefined {
  const callee = call.api ? undefined : resolveCallee(file, call);
  const at = callee && ordinalParameter(file, callee);
  return at === undefined ? undefined : call.args[at];
}

function whatIsKnown(file: FileFacts, call: Call): { where: Where; name: string } | undefined {
  const { fn } = call;
  const param = fn.params.find(isOrdinalVariable);
  if (param && !isRead(fn, param.name)) return { where: 'parameter', name: param.name };
  if (file.language === 'python') {
    const known = toldElsewhere(file, fn);
    if (known) return known;
    const tensor = (pythonDevices.test(call.callee) ? (mappedBefore(file, call) ?? viewedParameter(fn)) : undefined) ?? tensorParameter(fn);
    return tensor && !asksDevice(fn) ? { where: 'output', name: tensor } : besideContext(file, call);
  }
  const callee = call.api ? undefined : resolveCallee(file, call);
  const isMatch = callee ? choosesDevice(file, callee) : choosesDevice(file, fn);
  if (isMatch && !worksOnIt(call)) return { where: 'match', name: '' };
  const output = outputOf(file, fn);
  if (output && !asksDevice(fn)) return { where: 'output', name: output };
  return toldElsewhere(file, fn) ?? besideContext(file, call);
}

/** Who only asks for the properties of a device has not chosen it. */
function besideContext(file: FileFacts, { api, fn }: Call): { where: Where; name: string } | undefined {
  const name = /Get(DeviceProperties|PCIBusId|Attribute)$/.test(api?.name ?? '') ? undefined : unaskedContext(file, fn);
  return name === undefined ? undefined : { where: 'context', name };
}

function mappedBefore(file: FileFacts, call: Call): string | undefined {
  const mapping = cudaMappings(call.fn).find((each) => each.call.id < call.id);
  return mapping && file.source(mapping.call.receiver!);
}

/** `from_dlpack(given)`: the data lies on a device already. */
function viewedParameter(fn: FunctionFacts): string | undefined {
  const views = fn.calls.filter((call) => /^(from_dlpack|as_cuda_array)$/.test(call.name)).map((call) => pathOf(call.args[0]));
  return views.find((path) => path?.kind === 'param' && path.steps.length === 0)?.root;
}

const tensorTypes = /\b(torch\.(cuda\.\w*)?Tensor|Tensor|(wp|warp)\.array\w*|(cp|cupy)\.ndarray)\b/;

/** A parameter that says what it is, and that nobody here takes to another device or asks for its own. */
function tensorParameter(fn: FunctionFacts): string | undefined {
  const moves = (call: Call) => /^(to|cuda|cpu|numpy|get_device|asnumpy|asarray|tensor|as_tensor|from_numpy)$/.test(call.name);
  if (fn.calls.some(moves)) return undefined;
  return fn.params.find((param) => tensorTypes.test(param.type) && !/np\.|numpy/.test(param.type) && isRead(fn, param.name))?.name;
}

function toldElsewhere(file: FileFacts, fn: FunctionFacts): { where: Where; name: string } | undefined {
  const identity = unaskedIdentity(file, fn);
  if (identity) return { where: 'identity', name: identity };
  const ordinal = unreadOrdinal(file, fn);
  return ordinal === undefined ? undefined : { where: 'ordinal', name: ordinal };
}

const settling = /^(cuDevicePrimaryCtxRetain|cuCtxSetCurrent|cudaSetDevice)$/;
const working = ['create', 'alloc', 'import', 'copy', 'launch'] as const;

/** The function works on that very device too: what it writes down is its choice, and the match follows it. */
function worksOnIt({ fn, api }: Call): boolean {
  const works = (call: Call) => isCudaCall(call) && (settling.test(call.api!.name) || working.some((role) => call.api!.does(role)));
  return fn.calls.some((each) => each.api !== api && works(each));
}

function isRead(fn: FunctionFacts, name: string): boolean {
  const path = { root: name, kind: 'param' as const, steps: [] };
  return fn.events.some((event) => expressionsOf(event).some((root) => mentions(root, path))) || fn.events.some((event) => event.kind === 'escape');
}

/** A tensor or a mapped output that the function was given or made. */
function outputOf(file: FileFacts, fn: FunctionFacts): string | undefined {
  const tensor = fn.params.find(
    (param) => isTensor(file, fn, { root: param.name, kind: 'param', steps: [] }) || /\bDLManagedTensor/.test(param.type),
  );
  if (tensor) return tensor.name;
  const mapping = fn.calls.find((call) => call.api?.name === 'ovrtx_map_render_var_output');
  return mapping?.api?.arg('output') && file.source(mapping.api.arg('output')!);
}

/** The function reads some `device_id`, `.device` or `.device.id`: it knows. */
function asksDevice(fn: FunctionFacts): boolean {
  const names = /^\.(device_id|device|device_index|ordinal)$/;
  return fn.events.some((event) =>
    expressionsOf(event).some((root) => [...walk(root)].some((part) => part.kind === 'path' && part.path.steps.some((step) => names.test(step)))),
  );
}
