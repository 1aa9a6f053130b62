// Memory that vk::raii allocates: by a constructor, or by somebody who calls it.
import type { Call, FileFacts } from '../facts/index';
import { pathOf } from '../facts/paths';
import { typeOfPath } from '../flow/visible';
import { Binding } from '../knowledge/index';
import { apiNamed } from '../knowledge/names';

const memory = /^(new )?(vk::)?raii::DeviceMemory$/;
const makers = /\b(make_(unique|shared|optional))<(vk::)?raii::DeviceMemory>$/;
const placers = /^emplace(_back)?$/;

/** By its spelling alone, which does not tell what `memory.emplace(device, info)` puts there. */
export function mayAllocate({ callee, name, args, api }: Call): boolean {
  return api === undefined && args.length > 1 && (memory.test(callee) || makers.test(callee) || placers.test(name));
}

/** The vkAllocateMemory in `vk::raii::DeviceMemory(device, info)`, `std::make_unique<vk::raii::DeviceMemory>(device, info)` and the like. */
export function asAllocation(file: FileFacts, call: Call): Call | undefined {
  if (!mayAllocate(call) || (placers.test(call.name) && !holdsMemory(file, call))) return undefined;
  const [receiver, ...args] = call.args;
  const found = { api: apiNamed('vkAllocateMemory')!, spelling: 'hpp' as const };
  const api = new Binding(found, { receiver, args, keywords: call.keywords });
  api.call = call;
  return { ...call, api };
}

function holdsMemory(file: FileFacts, { fn, receiver }: Call): boolean {
  const path = pathOf(receiver);
  return path !== undefined && /\b(optional|vector)<\s*(vk::)?raii::DeviceMemory\s*>/.test(typeOfPath(file, fn, path) ?? '');
}
