// Objects that the file shares with another API although nothing on their chain allows it.
import type { Call, FileFacts, FunctionFacts, Path } from '../facts/index';
import { type Created, createdIn, handleIn, reachOf, sameHandle } from './vk-chains';

export interface Unexportable {
  readonly created: Call;
  /** The export, or the binding to exportable memory. */
  readonly user: Call;
  readonly missing: string;
}

interface Kind {
  readonly create: string;
  readonly param: string;
  readonly missing: string;
}

const exported: readonly (Kind & { readonly exports: RegExp })[] = [
  { create: 'vkAllocateMemory', param: 'memory', exports: /^vkGetMemory(Fd|Win32Handle)$/, missing: 'VkExportMemoryAllocateInfo' },
  { create: 'vkCreateSemaphore', param: 'semaphore', exports: /^vkGetSemaphore(Fd|Win32Handle)$/, missing: 'VkExportSemaphoreCreateInfo' },
  { create: 'vkCreateFence', param: 'fence', exports: /^vkGetFence(Fd|Win32Handle)$/, missing: 'VkExportFenceCreateInfo' },
];

const bound: readonly (Kind & { readonly bind: string })[] = [
  { create: 'vkCreateImage', param: 'image', missing: 'VkExternalMemoryImageCreateInfo', bind: 'vkBindImageMemory' },
  { create: 'vkCreateBuffer', param: 'buffer', missing: 'VkExternalMemoryBufferCreateInfo', bind: 'vkBindBufferMemory' },
];

export function unexportable(file: FileFacts, fn: FunctionFacts): Unexportable[] {
  return [...exported.flatMap((kind) => exportsOf(file, fn, kind)), ...bound.flatMap((kind) => bindingsOf(file, fn, kind))];
}

function exportsOf(file: FileFacts, fn: FunctionFacts, kind: Kind & { readonly exports: RegExp }): Unexportable[] {
  return createdIn(file, fn, kind.create, kind.param).flatMap((each) => {
    if (each.has(/Export|Import/)) return [];
    const user = callsInReach(file, each, (name) => kind.exports.test(name)).find(
      (call) => follows(each, call) && isSame(each, call, handleIn(call, kind.param)),
    );
    return user && !isCreatedTwice(file, kind, each) ? [{ created: each.call, user, missing: kind.missing }] : [];
  });
}

/** Calls of APIs that may be given the handle, in order of the text. */
function callsInReach(file: FileFacts, { call, handle }: Created, isMeant: (name: string) => boolean): readonly Call[] {
  const calls = reachOf(file, call.fn, handle).flatMap((fn) => fn.calls.filter(({ api }) => api && isMeant(api.name)));
  return calls.sort((a, b) => a.span.start - b.span.start || a.id - b.id);
}

function isSame(each: Created, call: Call, path: Path | undefined): boolean {
  return sameHandle({ call: each.call, path: each.handle }, { call, path });
}

/** In one function the export comes after the creation. */
function follows(each: Created, user: Call): boolean {
  return each.call.fn !== user.fn || each.call.id < user.id;
}

/** The same variable is filled in several places, so nobody knows which one is exported. */
function isCreatedTwice(file: FileFacts, kind: Kind, each: Created): boolean {
  const created = callsInReach(file, each, (name) => name === kind.create);
  return created.filter((call) => isSame(each, call, call.api!.path(kind.param))).length > 1;
}

/** An image or buffer bound to memory that is exported or imported, both in one function. */
function bindingsOf(file: FileFacts, fn: FunctionFacts, kind: Kind & { readonly bind: string }): Unexportable[] {
  const shared = createdIn(file, fn, 'vkAllocateMemory', 'memory').filter((each) => each.has(/^Vk(Export|Import)Memory/));
  if (shared.length === 0) return [];
  return createdIn(file, fn, kind.create, kind.param).flatMap((each) => {
    if (each.has(/External|Drm|Android/) || isCreatedTwice(file, kind, each)) return [];
    const bind = fn.calls.find((call) => call.api?.name === kind.bind && follows(each, call) && isSame(each, call, call.api.path(kind.param)));
    const memory = bind && shared.some((from) => isSame(from, bind, bind.api!.path('memory')));
    return memory ? [{ created: each.call, user: bind, missing: kind.missing }] : [];
  });
}
