/**
 * # teardown/stale-command-buffer
 *
 * ## What it does
 * Reports a submitted command buffer that was recorded before this function updated a descriptor set, or destroyed and made anew a
 * resource, that belongs to the same object, itself or in a helper, with nothing recorded in between, or only the first time. Also where one function of a class or struct records, a
 * second one makes the resource anew, a third one submits, and nothing leads from the second to the first.
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
 * Of a helper's changes only sets beside their command buffer count, and what the file records by that name.
 * Files that name UPDATE_AFTER_BIND are left alone, and so is anything that unknown code may have recorded.
 */
import { type Change, changesIn, isFirstTimeOnly, mayRecord, submitted } from '../../analyses/command-buffers';
import { concernsCommands, helpedChanges } from '../../analyses/helped-changes';
import { staleBetween } from '../../analyses/stale-between';
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { declarationOf, expressionsOf, pathKey, pathOf, pathText, samePath, walk } from '../../facts/paths';
import { reachesWithout } from '../../flow/order';
import { holdsForAny } from '../../memo/table';
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
    if (updatingAfterBind(file)) return;
    for (const { submit, commands, change } of file.subjects.flatMap((fn) => staleBetween(file, fn))) {
      const data = { commands: pathText(commands), thing: pathText(change.thing), change: change.call.name };
      report({ at: submit, data, related: [{ at: change.call, message: 'makes what was recorded before invalid' }] });
    }
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      const submits = fn.calls.filter((call) => /^vkQueueSubmit2?$/.test(call.api?.name ?? ''));
      const changes = submits.length > 0 ? changesIn(fn) : [];
      for (const submit of submits) {
        const found = firstStale(file, submit, changes) ?? firstStale(file, submit, helpedChanges(file, fn), concernsCommands);
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

const updatingAfterBind = holdsForAny((_, fn) => {
  const isFlag = (expr: Expr) =>
    [...walk(expr)].some((part) => part.kind === 'path' && /UPDATE_AFTER_BIND|eUpdateAfterBind|UPDATE_UNUSED_WHILE_PENDING/.test(part.path.root));
  return fn.events.some((event) => expressionsOf(event).some(isFlag));
});

function firstStale(
  file: FileFacts,
  submit: Call,
  changes: readonly Change[],
  isMeant: (file: FileFacts, commands: Path, change: Change) => boolean = () => true,
): { commands: Path; change: Change } | undefined {
  for (const commands of submitted(submit)) {
    for (const change of changes) {
      if (change.call.id > submit.id || !belongs(file, submit.fn, commands, change) || !isMeant(file, commands, change)) continue;
      const isFresh = (event: Event) => event !== change.call && mayRecord(file, event, commands);
      const fresh = submit.fn.events.filter((event) => event.id > change.call.id && event.id < submit.id && isFresh(event));
      if (!fresh.every((event) => isFirstTimeOnly(event, change.call))) continue;
      if (reachesWithout(change.call, submit, (event) => fresh.includes(event))) return { commands, change };
    }
  }
  return undefined;
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
