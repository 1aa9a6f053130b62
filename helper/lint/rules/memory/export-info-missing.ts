/**
 * # memory/export-info-missing
 *
 * ## What it does
 * Reports memory, semaphores and fences from which the file requests a file descriptor or Win32 handle although they were created
 * without the export struct, and images and buffers bound to exportable memory but created without `VkExternalMemory...CreateInfo`.
 *
 * ## Why is this bad
 * Only what was created for export may be exported: the request fails, or the handle names something that the other API cannot use.
 * An image without its external create info may get a layout that only this process understands.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * int share(VkDevice device, VkSemaphore* semaphore) {
 *     VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
 *     vkCreateSemaphore(device, &info, nullptr, semaphore);
 *     VkSemaphoreGetFdInfoKHR get{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR};
 *     get.semaphore = *semaphore;
 *     get.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     int fd = -1;
 *     vkGetSemaphoreFdKHR(device, &get, &fd);
 *     return fd;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * int share(VkDevice device, VkSemaphore* semaphore) {
 *     VkExportSemaphoreCreateInfo exported{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO};
 *     exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &exported};
 *     vkCreateSemaphore(device, &info, nullptr, semaphore);
 *     VkSemaphoreGetFdInfoKHR get{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR};
 *     get.semaphore = *semaphore;
 *     get.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     int fd = -1;
 *     vkGetSemaphoreFdKHR(device, &get, &fd);
 *     return fd;
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion: the export struct goes in before the creation, with the handle type that the export asks for. The device must support that
 * type (vkGetPhysicalDeviceExternalSemaphoreProperties and its like). Images and buffers have no fix, nor has a create info that several creations
 * or rounds of a loop share: the chain would grow, or outlive what hangs on it.
 *
 * ## What it cannot see
 * Chains that other functions complete, local ones as well, or a pointer to their last struct; handles that reach the export through other
 * functions than methods of one class.
 */
import { expectsErrors } from '../../analyses/negative-tests';
import { unexportable } from '../../analyses/unexportable';
import type { Call, Event, Expr, FileFacts, Path, Span, Variable } from '../../facts/index';
import { declarationOf, expressionsOf, walk } from '../../facts/paths';
import { fieldAt } from '../../flow/definitions';
import { reachesWithout } from '../../flow/order';
import { insertBeforeStatement } from '../edits';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly creator: string;
  readonly user: string;
  readonly missing: string;
  /** What the fix needs. */
  readonly created: Call;
  readonly sharing: Call;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'memory/export-info-missing',
    summary: 'A handle is requested from an object that was created without its export struct.',
    severity: 'error',
    tier: 'B',
    precision: 'certain',
    fix: 'suggestion',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ creator, user, missing }) {
    return `${creator} makes this object without ${missing}, but ${user} shares it: only what was created for export may be exported. Chain ${missing} with the handle type to the create info.`;
  },

  detect(file, report) {
    for (const { created, user, missing } of file.subjects.flatMap((fn) => (expectsErrors(fn) ? [] : unexportable(file, fn)))) {
      const related = [{ at: user, message: `${user.name} shares it here` }];
      report({ at: created, data: { creator: created.name, user: user.name, missing, created, sharing: user }, related });
    }
  },

  fix({ data: { missing, created, sharing } }, file) {
    const info = created.api?.path('info');
    const declared = info && declarationOf(created.fn, info);
    const type = handleTypeOf(file, sharing);
    if (
      !missing.startsWith('VkExport') ||
      !type ||
      info?.steps.length !== 0 ||
      declared?.kind !== 'local' ||
      // A declaration cannot be jumped over.
      /\b(goto|switch)\b/.test(file.text.slice(created.fn.span.start, created.fn.span.end)) ||
      /\bconst\b|[*&]$|^vk::/.test(declared.type) ||
      !servesOnce(file, created, info, declared)
    )
      return undefined;
    const name = nameFor(file, created);
    const structure = missing
      .replace(/^Vk/, '')
      .replace(/[a-z](?=[A-Z])/g, '$&_')
      .toUpperCase();
    const fields = `{VK_STRUCTURE_TYPE_${structure}, ${info.root}.pNext, ${type}}`;
    const edit = name && insertBeforeStatement(file, created, `${missing} ${name} = ${fields};`, `${info.root}.pNext = &${name};`);
    return edit ? { title: `Chain ${missing}`, edits: [edit] } : undefined;
  },
});

/** Nothing but this call, and that in no second round, reads the create info: a struct that is chained here ends with its block. */
function servesOnce(file: FileFacts, created: Call, info: Path, declared: Variable): boolean {
  const { fn, span } = created;
  if (declared.isStatic || !holds(fn.span, declared.span)) return false;
  const isDeclared = (event: Event) => event.kind === 'assign' && event.declares?.span.start === declared.span.start;
  if (reachesWithout(created, created, isDeclared)) return false;
  const reads = (event: Event) => (event.kind === 'call' && event.api !== undefined) || event.span.start > span.start;
  const isOther = (part: Expr) =>
    part.kind === 'path' && part.path.root === info.root && !holds(span, part.span) && isSameVariable(part.path, declared);
  const others = file.functions.filter((each) => holds(fn.span, each.span)).flatMap((each) => each.events.filter(reads));
  return !others.some((event) => expressionsOf(event).some((expr) => walk(expr).some(isOther)));
}

function isSameVariable(path: Path, { span }: Variable): boolean {
  return path.declared === undefined || path.declared.span.start === span.start;
}

function holds(outer: Span, { start, end }: Span): boolean {
  return outer.start <= start && end <= outer.end;
}

/** Each creation of a function that lacks the struct takes another free name. */
function nameFor(file: FileFacts, { fn, id }: Call): string | undefined {
  const taken = new Set([...fn.locals, ...fn.params].map(({ name }) => name));
  const free = ['exported', 'exportInfo', 'exportedInfo'].filter((name) => !taken.has(name));
  return free[unexportable(file, fn).filter(({ created }) => created.id < id).length];
}

/** The enumerator that the export asks for. */
function handleTypeOf(file: FileFacts, sharing: Call): string | undefined {
  const { values, unknown } = fieldAt(sharing, sharing.api?.arg('info'), 'handleType');
  const only = !unknown && values.length === 1 ? values[0]!.value : undefined;
  return only !== undefined && only !== 'zero' && only.kind === 'path' && only.path.kind === 'global' ? file.source(only) : undefined;
}
