// Objects that the file shares with another API although nothing on their chain allows it.
import type { Call, FileFacts } from '../facts/index';
import { callsTo } from '../flow/calls';
import { type Created, createdBy, creations, handleIn, sameHandle } from './vk-chains';

export interface Unexportable {
  readonly created: Call;
  /** The export, or the binding to exportable memory. */
  readonly user: Call;
  readonly missing: string;
}

interface Kind {
  readonly create: string;
  readonly param: string;
  readonly exports: (file: FileFacts) => readonly Call[];
  readonly missing: string;
}

const exported: readonly Kind[] = [
  { create: 'vkAllocateMemory', param: 'memory', exports: callsTo(/^vkGetMemory(Fd|Win32Handle)$/), missing: 'VkExportMemoryAllocateInfo' },
  { create: 'vkCreateSemaphore', param: 'semaphore', exports: callsTo(/^vkGetSemaphore(Fd|Win32Handle)$/), missing: 'VkExportSemaphoreCreateInfo' },
  { create: 'vkCreateFence', param: 'fence', exports: callsTo(/^vkGetFence(Fd|Win32Handle)$/), missing: 'VkExportFenceCreateInfo' },
];

const bound: readonly (Kind & { readonly bind: string })[] = [
  { create: 'vkCreateImage', param: 'image', exports: callsTo(/^$/), missing: 'VkExternalMemoryImageCreateInfo', bind: 'vkBindImageMemory' },
  { create: 'vkCreateBuffer', param: 'buffer', exports: callsTo(/^$/), missing: 'VkExternalMemoryBufferCreateInfo', bind: 'vkBindBufferMemory' },
];

export function unexportable(file: FileFacts): Unexportable[] {
  return [...exported.flatMap((kind) => exportsOf(file, kind)), ...bound.flatMap((kind) => bindingsOf(file, kind))];
}

function exportsOf(file: FileFacts, kind: Kind): Unexportable[] {
  const users = kind.exports(file);
  if (users.length === 0) return [];
  return createdBy(file, kind.create, kind.param).flatMap((each) => {
    if (!file.subjects.includes(each.call.fn)) return [];
    if (each.has(/Export|Import/) || isCreatedTwice(file, kind, each)) return [];
    const user = users.find(
      (call) => follows(each, call) && sameHandle({ call: each.call, path: each.handle }, { call, path: handleIn(call, kind.param) }),
    );
    return user ? [{ created: each.call, user, missing: kind.missing }] : [];
  });
}

/** In one function the export comes after the creation. */
function follows(each: Created, user: Call): boolean {
  return each.call.fn !== user.fn || each.call.id < user.id;
}

/** The same variable is filled in several places, so nobody knows which one is exported. */
function isCreatedTwice(file: FileFacts, kind: Kind, each: Created): boolean {
  const same = creations(file, kind.create).filter((call) =>
    sameHandle({ call: each.call, path: each.handle }, { call, path: call.api!.path(kind.param) }),
  );
  return same.length > 1;
}

/** An image or buffer bound to memory that is exported or imported, both in one function. */
function bindingsOf(file: FileFacts, kind: Kind & { readonly bind: string }): Unexportable[] {
  const shared = createdBy(file, 'vkAllocateMemory', 'memory').filter((each) => each.has(/^Vk(Export|Import)Memory/));
  if (shared.length === 0) return [];
  return createdBy(file, kind.create, kind.param).flatMap((each) => {
    if (!file.subjects.includes(each.call.fn)) return [];
    if (each.has(/External|Drm|Android/) || isCreatedTwice(file, kind, each)) return [];
    const bind = each.call.fn.calls.find(
      (call) =>
        call.api?.name === kind.bind &&
        follows(each, call) &&
        sameHandle({ call: each.call, path: each.handle }, { call, path: call.api.path(kind.param) }),
    );
    const memory =
      bind &&
      shared.some(
        (from) => from.call.fn === bind.fn && sameHandle({ call: from.call, path: from.handle }, { call: bind, path: bind.api!.path('memory') }),
      );
    return memory ? [{ created: each.call, user: bind, missing: kind.missing }] : [];
  });
}
