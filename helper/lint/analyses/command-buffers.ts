// What makes recorded command buffers invalid, which ones a submit hands over, and what may record them anew.
import type { Call, Event, FileFacts, FunctionFacts, Path } from '../facts/index';
import { isWithin, pathOf, samePath, walk } from '../facts/paths';
import { fieldAt, valueAt } from '../flow/definitions';
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
  const list = written && valueAt(call, written);
  const inits =
    list !== undefined && list !== 'zero' && list.kind === 'init' && list.entries.some((entry) => entry.value.kind === 'init') ? list.entries : [];
  if (inits.length > 0)
    return inits.flatMap(({ value }) => {
      const set = value.kind === 'init' ? (value.entries.find((entry) => entry.field === 'dstSet')?.value ?? value.entries[2]?.value) : undefined;
      return pathOf(set) ?? [];
    });
  const base = pathOf(written);
  if (!base) return [];
  const direct = fieldAt(call, { kind: 'path', path: base, span: call.span }, 'dstSet');
  const first =
    direct.values.length > 0 ? direct : fieldAt(call, { kind: 'path', path: { ...base, steps: [...base.steps, '[0]'] }, span: call.span }, 'dstSet');
  return first.values.flatMap(({ value }) => (value === 'zero' ? [] : (pathOf(value) ?? [])));
}

/** The command buffers of a submit. */
export function submitted(submit: Call): Path[] {
  const info = submit.api!.arg('info');
  const direct = fieldAt(submit, info, 'pCommandBuffers').values;
  const infos = fieldAt(submit, info, 'pCommandBufferInfos').values;
  const nested = infos.flatMap(({ value }) => (value === 'zero' ? [] : fieldAt(submit, value, 'commandBuffer').values));
  return [...direct, ...nested].flatMap(({ value }) => {
    if (value === 'zero') return [];
    const resolved = valueAt(submit, value);
    if (resolved !== undefined && resolved !== 'zero' && resolved.kind === 'init')
      return resolved.entries.flatMap((entry) => pathOf(entry.value) ?? []);
    return pathOf(value) ?? [];
  });
}

const recorders = /^vk(Cmd\w+|BeginCommandBuffer|ResetCommandBuffer|ResetCommandPool|AllocateCommandBuffers|FreeCommandBuffers|DestroyCommandPool)$/;
const recordNames = /record|build|encode|begin|command|cmd|draw|render|prepare|invalidate|refresh|recreate|reset|dirty|setup|init/i;

/** The event records the command buffer anew or drops it, or may. */
export function mayRecord(file: FileFacts, event: Event, commands: Path): boolean {
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
