/**
 * # teardown/stale-command-buffer
 *
 * ## What it does
 * Reports a submitted command buffer that was recorded before this function updated a descriptor set, or destroyed and made anew a
 * resource, that belongs to the same object, with nothing recorded in between.
 *
 * ## Why is this bad
 * Updating a descriptor set, or destroying what it names, makes every command buffer that was recorded with it invalid. The submit reads
 * freed memory or the old buffer; only validation layers say so.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * struct Pass { VkCommandBuffer commands; VkDescriptorSet set; };
 * void rebind(VkDevice device, VkQueue queue, Pass& pass, const VkDescriptorBufferInfo& data) {
 *     VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
 *     write.dstSet = pass.set;
 *     write.descriptorCount = 1;
 *     write.pBufferInfo = &data;
 *     vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
 *     VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
 *     submit.commandBufferCount = 1;
 *     submit.pCommandBuffers = &pass.commands;
 *     vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * struct Pass { VkCommandBuffer commands; VkDescriptorSet set; };
 * void record(Pass& pass);
 * void rebind(VkDevice device, VkQueue queue, Pass& pass, const VkDescriptorBufferInfo& data) {
 *     VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
 *     write.dstSet = pass.set;
 *     write.descriptorCount = 1;
 *     write.pBufferInfo = &data;
 *     vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
 *     record(pass);  // against the new set
 *     VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
 *     submit.commandBufferCount = 1;
 *     submit.pCommandBuffers = &pass.commands;
 *     vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
 * }
 * ```
 *
 * ## What it cannot see
 * Whether the command buffer really uses the set: they belong together when they are fields of one object or were bound in the function.
 * Files that name UPDATE_AFTER_BIND are left alone, and so is anything that unknown code may have recorded.
 */
import { endedPath, endsGpuObject, reachedCalls, writes } from '../../analyses/releases';
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { declarationOf, expressionsOf, isWithin, pathKey, pathOf, pathText, samePath, walk } from '../../facts/paths';
import { fieldAt, valueAt } from '../../flow/definitions';
import { reachesWithout } from '../../flow/order';
import { resolveCallee } from '../../flow/program';
import { functionsWhere } from '../../memo/table';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly commands: string;
  readonly thing: string;
  readonly change: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'teardown/stale-command-buffer',
    summary: 'A command buffer is submitted that was recorded against descriptors or resources that changed since.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ commands, thing, change }) {
    return `\`${commands}\` was recorded before \`${change}\` changed \`${thing}\`, and nothing records it again: the change made it invalid. Reset and record it between the two, or drop it with the old resources.`;
  },

  detect(file, report) {
    if (updatingAfterBind(file).length > 0) return;
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      const changes = changesIn(fn);
      if (changes.length === 0) continue;
      for (const submit of fn.calls.filter((call) => /^vkQueueSubmit2?$/.test(call.api?.name ?? ''))) {
        const found = firstStale(file, submit, changes);
        if (!found) continue;
        report({
          at: submit,
          data: { commands: pathText(found.commands), thing: pathText(found.change.thing), change: found.change.call.name },
          related: [{ at: found.change.call, message: 'makes what was recorded before invalid' }],
        });
      }
    }
  },
});

const updatingAfterBind = functionsWhere((_, fn) => {
  const isFlag = (expr: Expr) =>
    [...walk(expr)].some((part) => part.kind === 'path' && /UPDATE_AFTER_BIND|eUpdateAfterBind|UPDATE_UNUSED_WHILE_PENDING/.test(part.path.root));
  return fn.events.some((event) => expressionsOf(event).some(isFlag));
});

interface Change {
  readonly call: Call;
  readonly thing: Path;
}

const resources =
  /^(vkDestroy(Buffer|Image|ImageView|BufferView|Sampler|Pipeline|Framebuffer|DescriptorPool)|vkFreeDescriptorSets|vmaDestroy(Buffer|Image))$/;

/** Descriptor sets that are updated, and resources that are destroyed and made anew under the same name. */
function changesIn(fn: FunctionFacts): Change[] {
  return fn.calls.flatMap((call): Change[] => {
    if (call.api?.name === 'vkUpdateDescriptorSets') return updatedSets(call).map((thing) => ({ call, thing }));
    if (!resources.test(call.api?.name ?? '') || !endsGpuObject(call)) return [];
    const thing = endedPath(call);
    const isMadeAnew = thing && fn.events.some((event) => event.id > call.id && writes(event, thing) && event.kind === 'call');
    return thing && isMadeAnew ? [{ call, thing }] : [];
  });
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

function firstStale(file: FileFacts, submit: Call, changes: readonly Change[]): { commands: Path; change: Change } | undefined {
  for (const commands of submitted(submit)) {
    for (const change of changes) {
      if (change.call.id > submit.id || !belongs(file, submit.fn, commands, change)) continue;
      const isFresh = (event: Event) => event !== change.call && mayRecord(file, event, commands);
      if (submit.fn.events.some((event) => event.id > change.call.id && event.id < submit.id && isFresh(event))) continue;
      if (reachesWithout(change.call, submit, () => false)) return { commands, change };
    }
  }
  return undefined;
}

/** The command buffers of a submit. */
function submitted(submit: Call): Path[] {
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

/** Bound in this function, or fields of one object while the recording is older than the function. */
function belongs(file: FileFacts, fn: FunctionFacts, commands: Path, { call, thing }: Change): boolean {
  const before = fn.events.filter((event) => event.id < call.id);
  const bound = before.some(
    (event) => event.kind === 'call' && event.api?.name === 'vkCmdBindDescriptorSets' && event.args.some((arg) => samePath(pathOf(arg), thing)),
  );
  if (bound) return true;
  const isLocal = commands.kind === 'local' && !/[*&]$/.test(declarationOf(fn, commands)?.type ?? '');
  return !isLocal && ownerKey(commands) === ownerKey(thing) && !before.some((event) => mayRecord(file, event, commands));
}

/** What holds a handle; elements of arrays side by side hang on the holder of the arrays. */
function ownerKey(path: Path): string {
  const steps = path.steps.filter((step) => !step.startsWith('['));
  return steps.length === 0 ? `<${path.kind}>` : pathKey({ ...path, steps: steps.slice(0, -1) });
}

const recorders = /^vk(Cmd\w+|BeginCommandBuffer|ResetCommandBuffer|ResetCommandPool|AllocateCommandBuffers|FreeCommandBuffers|DestroyCommandPool)$/;
const recordNames = /record|build|encode|begin|command|cmd|draw|render|prepare|invalidate|refresh|recreate|reset|dirty|setup|init/i;

/** The event records the command buffer anew or drops it, or may. */
function mayRecord(file: FileFacts, event: Event, commands: Path): boolean {
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
