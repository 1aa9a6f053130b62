/**
 * # teardown/order
 *
 * ## What it does
 * Reports the end of something that other objects need, while code behind it still ends or uses such an object: a device before its
 * children, a pool before what was taken from it, a surface before its swapchain, a GL or EGL context before its resources, an array
 * before its texture or surface object, an EGL image before CUDA's registration of it, a CUDA context before its memory and streams. Also
 * memory that kernels and copies get behind its free, a GL object that CUDA still has registered, and, as a warning, exported memory that
 * is freed while CUDA still works on the import.
 *
 * ## Why is this bad
 * The later call works on freed driver state. Some drivers crash, others free nothing and leak, and validation layers report only the
 * part that they see: the CUDA side of an interop object is invisible to them.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * void shut_down(VkDevice device, VkBuffer buffer) {
 *     vkDeviceWaitIdle(device);
 *     vkDestroyDevice(device, nullptr);
 *     vkDestroyBuffer(device, buffer, nullptr);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * void shut_down(VkDevice device, VkBuffer buffer) {
 *     vkDeviceWaitIdle(device);
 *     vkDestroyBuffer(device, buffer, nullptr);
 *     vkDestroyDevice(device, nullptr);  // last: the buffer is its child
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion, where all calls are statements of one block: what still needs the thing moves before its end. Read whether something
 * between them depends on the old order.
 *
 * ## What it cannot see
 * Order across files, and objects whose creation ties them to something else than their neighbour in the same struct. What the APIs allow
 * is not reported: memory freed before the image that is bound to it, an idle export before its import, views after their image.
 *
 * Only with the preview rules: an EGL or GLX context (or its display) that ends while nothing shows that the thread let go of it, since
 * the end waits until then; an array, display or GLFW that ends before its texture object, handles or windows, when nothing uses those in
 * between. The judged findings of public code are of these kinds: some readers called them true, others a matter of taste. So far only
 * there, too: GL objects that are deleted while registered.
 */
import { type Dependant, endsParents, firstDependant, itself, nameOf } from '../../analyses/dependants';
import { type UsedLater, usedLater } from '../../analyses/freed-memory';
import { type DeletedRegistered, deletedWhileRegistered } from '../../analyses/registered-gl';
import { type Reached, reachedCalls } from '../../analyses/releases';
import type { Call } from '../../facts/index';
import { pathText } from '../../facts/paths';
import { moveBefore } from '../moves';
import { defineRule, type Problem } from '../rule';

interface Data {
  readonly end: string;
  readonly what: string;
  readonly later: string;
  readonly kind: 'dependant' | 'registered' | UsedLater['kind'];
  readonly excuse?: Dependant['excuse'];
  /** What the fix needs. */
  readonly ended: Call;
  readonly dependants: readonly Reached[];
}

export const rule = defineRule<Data>({
  meta: {
    id: 'teardown/order',
    summary: 'Something is destroyed while an object that needs it still stands.',
    severity: 'error',
    tier: 'B',
    precision: 'likely',
    fix: 'suggestion',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ end, what, later, kind, excuse }) {
    if (excuse === 'current')
      return `\`${end}\` ends ${what}, and \`${later}\` behind it still needs it: it lives on only because, and as long as, this thread has the context current. Move \`${later}\` before \`${end}\`.`;
    if (excuse === 'unused')
      return `\`${end}\` ends ${what} before \`${later}\` ends what refers to it: until then nothing may use that, and nothing shows that. Move \`${later}\` before \`${end}\`.`;
    if (kind === 'exporter')
      return `\`${end}\` frees exported memory, and \`${later}\` behind it still works on ${what}, the import's view of it. Finish CUDA's work, end the view and the import, then free the exporter's side.`;
    if (kind === 'registered')
      return `\`${end}\` deletes ${what}, which \`${later}\` registered with CUDA and nobody has unregistered: the registration keeps pointing at it. Call cudaGraphicsUnregisterResource (cuGraphicsUnregisterResource) first.`;
    if (kind === 'pointer')
      return `\`${end}\` frees ${what}, and \`${later}\` behind it still gets it: the work reads or writes freed memory. Free it behind the work.`;
    return `\`${end}\` ends ${what}, and \`${later}\` behind it still needs it: the later call works on freed driver state. Move \`${later}\` before \`${end}\`.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      const calls = file.language === 'python' ? fn.calls.map(itself) : endsParents(file, fn) ? [...reachedCalls(file, fn)] : [];
      for (const ended of calls) {
        const found = firstDependant(file, ended, calls);
        if (!found) continue;
        report({
          at: ended.site,
          data: {
            end: nameOf(file, ended.call),
            what: found.parent.what,
            later: nameOf(file, found.later.call),
            ended: ended.call,
            dependants: found.all,
            kind: 'dependant',
            excuse: found.excuse,
          },
          isPreview: found.excuse !== undefined,
          related: [{ at: found.later.site, message: `needs ${found.parent.what}` }],
        });
      }
      if (file.language === 'python') continue;
      for (const found of usedLater(file, fn)) report(asProblem(found));
      for (const found of deletedWhileRegistered(file, fn)) report(deletedProblem(found));
    }
  },

  fix({ at, data: { ended, dependants, kind } }, file) {
    const isPlain = ({ call, site }: Reached) => call === site && call.block === ended.block && call.use === 'ignored' && !call.check;
    if (kind !== 'dependant' || ended !== at || !dependants.every(isPlain)) return undefined;
    const edits = moveBefore(
      file,
      ended,
      dependants.map(({ call }) => call),
    );
    const names = [...new Set(dependants.map(({ call }) => `\`${call.name}\``))].join(', ');
    return edits && { title: `Move ${names} before \`${ended.name}\``, edits };
  },
});

/** An import keeps the payload alive, so the exporter's case weighs less. */
function asProblem({ end, use, kind, used }: UsedLater): Problem<Data> {
  const data = { end: end.name, what: `\`${pathText(used)}\``, later: use.name, kind, ended: end, dependants: [] };
  return { at: end, data, related: [{ at: use, message: 'used here' }], severity: kind === 'exporter' ? 'warning' : 'error' };
}

function deletedProblem({ at, deleted, registered }: DeletedRegistered): Problem<Data> {
  const data = { end: deleted.name, what: 'a GL object', later: registered.name, kind: 'registered' as const, ended: deleted, dependants: [] };
  return { at, data, related: [{ at: registered, message: 'registered here' }], isPreview: true };
}
