// Device memory and the one image that lies in it, in C, vulkan.hpp and vk::raii.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathOf } from '../facts/paths';
import { fieldAt, valueAt } from '../flow/definitions';
import { typeOfPath } from '../flow/visible';
import { asAllocation } from './raii-allocations';
import { type Created, createdIn, createdWith, requirementsOf, sameHandle } from './vk-chains';

/** Allocations whose chain the file shows, those by the constructor of vk::raii too. */
export function allocationsIn(file: FileFacts, fn: FunctionFacts): readonly Created[] {
  const made = fn.degraded ? [] : fn.calls.flatMap((call) => asAllocation(file, call) ?? []);
  return [...createdIn(file, fn, 'vkAllocateMemory', 'memory'), ...made.flatMap((call) => createdWith(file, call, 'memory') ?? [])];
}

interface Use {
  readonly call: Call;
  readonly image: Path;
}

interface Bind {
  readonly call: Call;
  readonly image: Path | undefined;
  readonly memory: Path | undefined;
  readonly isAtStart: boolean;
}

/** The image that alone lies in this memory: bound at offset 0, or its requirements give the size. */
export function onlyImageOf(file: FileFacts, { call, handle }: Created): Use | undefined {
  const { calls } = call.fn;
  const binds = calls
    .flatMap((each) => bindOf(file, each) ?? [])
    .filter((each) => sameHandle({ call, path: handle }, { call: each.call, path: each.memory }));
  const [only] = binds;
  if (binds.length > 1 || (only && !(only.image && only.isAtStart))) return undefined;
  const { values } = fieldAt(call, call.api!.arg('info'), 'allocationSize');
  const size = values.length === 1 && values[0]!.value !== 'zero' ? values[0]!.value : undefined;
  const needs = requirementsOf(size);
  const asked = needs === undefined ? undefined : calls.flatMap((each) => askedOf(file, each, needs) ?? [])[0];
  return asked ?? (only?.image && { call: only.call, image: only.image });
}

/** `image` is undefined for a buffer, and where nobody knows. */
function bindOf(file: FileFacts, call: Call): Bind | undefined {
  const { api, receiver, args } = call;
  if (!api) {
    if (call.name !== 'bindMemory' || !receiver || args.length !== 2) return undefined;
    return { call, image: imageIn(file, call, pathOf(receiver)), memory: pathOf(args[0]), isAtStart: isZero(args[1]) };
  }
  if (api.name === 'vkBindBufferMemory') return { call, image: undefined, memory: api.path('memory'), isAtStart: true };
  if (api.name === 'vkBindImageMemory') return { call, image: api.path('image'), memory: api.path('memory'), isAtStart: isZero(api.arg('offset')) };
  if (api.name !== 'vkBindImageMemory2') return undefined;
  const { values, unknown } = fieldAt(call, api.arg('info'), 'memoryOffset');
  const offset = unknown || values.length !== 1 ? undefined : values[0]!.value;
  return { call, image: fieldOf(call, 'image'), memory: fieldOf(call, 'memory'), isAtStart: offset === 'zero' || isZero(offset) };
}

/** The call that fills the requirements `needs` for an image. */
function askedOf(file: FileFacts, call: Call, needs: string): Use | undefined {
  const { api, receiver } = call;
  if (!api) {
    const isAsked = /^getMemoryRequirements2?$/.test(call.name) && receiver !== undefined && call.result?.root === needs;
    const own = isAsked ? imageIn(file, call, pathOf(receiver)) : undefined;
    return own && { call, image: own };
  }
  if (api.path('requirements')?.root !== needs) return undefined;
  const image =
    api.name === 'vkGetImageMemoryRequirements'
      ? api.path('image')
      : api.name === 'vkGetImageMemoryRequirements2'
        ? fieldOf(call, 'image')
        : undefined;
  return image && { call, image };
}

function fieldOf(call: Call, field: string): Path | undefined {
  const { values, unknown } = fieldAt(call, call.api!.arg('info'), field);
  const only = unknown || values.length !== 1 ? undefined : values[0]!.value;
  return only === undefined || only === 'zero' ? undefined : pathOf(only);
}

/** The path when it names an image of vk::raii, by its type or by what made it. */
function imageIn(file: FileFacts, call: Call, path: Path | undefined): Path | undefined {
  const type = path && typeOfPath(file, call.fn, path);
  if (!path || (type !== undefined && type !== 'auto')) return path && /\braii::Image$/.test(type ?? '') ? path : undefined;
  const value = valueAt(call, { kind: 'path', path, span: call.span });
  const made = value !== undefined && value !== 'zero' && value.kind === 'call' ? value : undefined;
  return made?.name === 'createImage' || /\braii::Image$/.test(made?.callee ?? '') ? path : undefined;
}

function isZero(offset: Expr | undefined): boolean {
  return offset?.kind === 'number' && offset.value === 0;
}
