// What makes recorded command buffers invalid, which ones a submit hands over, and what may record them anew.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { isWithin, lastName, pathOf, samePath, walk } from '../facts/paths';
import { fieldAt, valueAt } from '../flow/definitions';
import { dominates } from '../flow/order';
import { resolveCallee } from '../flow/program';
import { endedPath, endsGpuObject, reachedCalls, writes } from './releases';

export interface Change {
  readonly call: Call;
  readonly thing: Path;
}

const resources =
  /^(vkDestroy(Buffer|Image|ImageView|BufferView|Sampler|Pipeline|Framebuffer|DescriptorPool)|vkFreeDescriptorSets|vmaDestroy(Buffer|Image))$/;

/** Descriptor sets that are updated, and resources that are destroyed and made anew under the same name. */
export function changesIn(fn: FunctionFacts): Change[] {
  return fn.calls.flatMap((call): Change[] => {
    if (call.api?.name === 'vkUpdateDescriptorSets') return updatedSets(call).map((thing) => ({ call, thing }));
    if (!resources.test(call.api?.name ?? '') || !endsGpuObject(call)) return [];
    const thing = endedPath(call);
    const isMadeAnew = thing && fn.events.some((event) => event.id > call.id && writes(event, thing) && makesAnew(event));
    return thing && isMadeAnew ? [{ call, thing }] : [];
  });
}

/** `vkCreateBuffer(..., &x)` and `x = upload(...)`. */
function makesAnew(event: Event): boolean {
  return event.kind === 'call' || (event.kind === 'assign' && event.value !== undefined && walk(event.value).some(({ kind }) => kind === 'call'));
}

function updatedSets(call: Call): Path[] {
  const written = call.api!.arg('writes');
  const structs = structsIn(call, written);
  if (structs.length > 0) return structs.flatMap((each) => handleAt(call, fieldOfStruct(call, each, 'dstSet', 2, 0)) ?? []);
  const base = pathOf(written);
  if (!base) return [];
  const direct = fieldAt(call, { kind: 'path', path: base, span: call.span }, 'dstSet');
  const first =
    direct.values.length > 0 ? direct : fieldAt(call, { kind: 'path', path: { ...base, steps: [...base.steps, '[0]'] }, span: call.span }, 'dstSet');
  return first.values.flatMap(({ value }) => (value === 'zero' ? [] : (handleAt(call, value) ?? [])));
}

/** The structs of a list, written in place or named: brace lists, and constructors of vulkan.hpp. */
function structsIn(at: Event, list: Expr | undefined): Expr[] {
  const value = list && valueAt(at, list);
  // `vk::SubmitInfo info;` whose fields are set later.
  if (value === 'zero' && list?.kind === 'path') return [list];
  if (!value || value === 'zero') return [];
  if (isConstructed(value)) return [value];
  if (value.kind !== 'init') return [];
  if (/^vk::/.test(value.type ?? '') || value.entries.some((entry) => entry.field)) return [value];
  return value.entries.flatMap((entry) => {
    const part = valueAt(at, entry.value);
    if (!part || part === 'zero') return [];
    // Its fields are filled in behind the declaration.
    if (part.kind === 'path' || (part.kind === 'init' && part.entries.length === 0)) return [entry.value];
    return part.kind === 'init' || isConstructed(part) ? [part] : [];
  });
}

function isConstructed(value: Expr): value is Call {
  return value.kind === 'call' && /^vk::(WriteDescriptorSet|SubmitInfo2?|CommandBufferSubmitInfo)$/.test(value.callee);
}

/** A field by its name, or by its place in the C struct or in the constructor of vulkan.hpp. */
function fieldOfStruct(at: Event, struct: Expr, name: string, inC: number, inHpp: number): Expr | undefined {
  if (struct.kind === 'path') {
    const [only] = fieldAt(at, struct, name).values;
    return only && only.value !== 'zero' ? only.value : undefined;
  }
  if (struct.kind === 'call') return struct.args[inHpp];
  if (struct.kind !== 'init') return undefined;
  const named = struct.entries.find((entry) => entry.field === name);
  if (named || struct.entries.some((entry) => entry.field)) return named?.value;
  return struct.entries[/^vk::/.test(struct.type ?? '') ? inHpp : inC]?.value;
}

/** A handle; `*set` of vk::raii is the set. */
function handleAt(at: Event, expr: Expr | undefined): Path | undefined {
  const path = pathOf(expr);
  if (!path) return undefined;
  const value = path.kind === 'local' && path.steps.length === 0 ? valueAt(at, expr) : undefined;
  const known = value && value !== 'zero' && value.kind === 'path' ? value.path : path;
  return known.steps.at(-1) === '*' ? { ...known, steps: known.steps.slice(0, -1) } : known;
}

/** The command buffers of a submit. */
export function submitted(submit: Call): Path[] {
  const info = submit.api!.arg('info');
  const direct = fieldAt(submit, info, 'pCommandBuffers').values;
  const infos = fieldAt(submit, info, 'pCommandBufferInfos').values;
  const nested = infos.flatMap(({ value }) => (value === 'zero' ? [] : fieldAt(submit, value, 'commandBuffer').values));
  const inHpp = structsIn(submit, info).flatMap((each) => inHppSubmit(submit, each));
  return [...[...direct, ...nested].flatMap(({ value }) => (value === 'zero' ? [] : value)), ...inHpp].flatMap((value) => {
    const resolved = valueAt(submit, value);
    if (resolved !== undefined && resolved !== 'zero' && resolved.kind === 'init')
      return resolved.entries.flatMap((entry) => handleAt(submit, entry.value) ?? []);
    return handleAt(submit, value) ?? [];
  });
}

/** `setCommandBuffers(x)`, `setCommandBufferInfos(y)` and the third argument of the constructor: one buffer, or a list. */
function inHppSubmit(at: Event, struct: Expr): Expr[] {
  const written = fieldOfStruct(at, struct, 'commandBuffers', -1, 2) ?? fieldOfStruct(at, struct, 'pCommandBuffers', 3, -1);
  const infos = fieldOfStruct(at, struct, 'commandBufferInfos', -1, -1);
  const nested = structsIn(at, infos).flatMap((each) => fieldOfStruct(at, each, 'commandBuffer', -1, 0) ?? []);
  return written ? [written, ...nested] : nested;
}

const recorders = /^vk(Cmd\w+|BeginCommandBuffer|ResetCommandBuffer|ResetCommandPool|AllocateCommandBuffers|FreeCommandBuffers|DestroyCommandPool)$/;
const recordNames = /record|build|encode|begin|command|cmd|draw|render|prepare|invalidate|refresh|recreate|reset|dirty|setup|init/i;

/** The event records the command buffer anew or drops it, or may. */
export function mayRecord(file: FileFacts, event: Event, commands: Path): boolean {
  if ((event.kind === 'call' && describes(event)) || declaresAlias(event)) return false;
  if (writes(event, commands)) return true;
  if (event.kind !== 'call') return false;
  if (event.api) return recorders.test(event.api.name);
  const callee = resolveCallee(file, event);
  if (callee)
    return [...reachedCalls(file, callee)].some(({ call }) =>
      call.api ? recorders.test(call.api.name) : !resolveCallee(file, call) && recordNames.test(call.name),
    );
  if (recordNames.test(event.name)) return true;
  return event.args.some((arg) =>
    [...walk(arg)].some((part) => part.kind === 'path' && (isWithin(commands, part.path) || samePath(part.path, commands))),
  );
}

/** `Frame& frame = frames[i];` */
function declaresAlias(event: Event): boolean {
  return event.kind === 'assign' && /[*&]$/.test(event.declares?.type ?? '');
}

/** Fills a struct of vulkan.hpp: `submit.setCommandBuffers(x)`, `vk::SubmitInfo submit({}, {}, x)`. */
function describes({ name, callee }: Call): boolean {
  return /^setP?(CommandBuffer|WaitSemaphore|SignalSemaphore|WaitDst)\w*$/.test(name) || /^vk::\w*Info2?(KHR)?$/.test(callee);
}

/** `if (first) record(...)`, `if (!recorded) record(...)`: recorded the first time only, and nothing asks for another one since the change. */
export function isFirstTimeOnly(event: Event, since: Event): boolean {
  const tests = event.fn.events.filter((each) => each.kind === 'test' && each.id > since.id && each.id < event.id && dominates(each, event));
  return tests.some((test) => {
    const flag = test.kind === 'test' ? pathOf(test.expr) : undefined;
    if (!flag || !/first|recorded|once|initiali[sz]ed/i.test(lastName(flag)) || /dirty|need|should|re_?record(?!ed)/i.test(lastName(flag)))
      return false;
    return !event.fn.events.some((each) => each.id > since.id && each.id < test.id && writes(each, flag));
  });
}
