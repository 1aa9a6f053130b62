/**
 * # device/current-context-as-identity
 *
 * ## What it does
 * Reports a search for the Vulkan device that takes the CUDA device from whichever context is current (`cuCtxGetDevice`), without having
 * made one current before.
 *
 * ## Why is this bad
 * The current context belongs to the thread and to whoever touched CUDA last: another library, another output, nobody. The match is then
 * right or wrong by the order of start-up, and on a new thread it fails.
 *
 * ## Example
 * ```cpp
 * #include <cstring>
 * #include <cuda.h>
 * #include <vulkan/vulkan.h>
 * bool is_ours(const VkPhysicalDeviceIDProperties& vulkan) {
 *     CUdevice device = 0;
 *     CUuuid uuid{};
 *     if (cuCtxGetDevice(&device) != CUDA_SUCCESS) return false;
 *     if (cuDeviceGetUuid_v2(&uuid, device) != CUDA_SUCCESS) return false;
 *     return std::memcmp(vulkan.deviceUUID, uuid.bytes, VK_UUID_SIZE) == 0;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cstring>
 * #include <cuda.h>
 * #include <vulkan/vulkan.h>
 * bool is_ours(const VkPhysicalDeviceIDProperties& vulkan, int ordinal) {
 *     CUdevice device = 0;
 *     CUuuid uuid{};
 *     if (cuDeviceGet(&device, ordinal) != CUDA_SUCCESS) return false;
 *     if (cuDeviceGetUuid_v2(&uuid, device) != CUDA_SUCCESS) return false;
 *     return std::memcmp(vulkan.deviceUUID, uuid.bytes, VK_UUID_SIZE) == 0;
 * }
 * ```
 *
 * ## What it cannot see
 * Callers in other files that make the right context current. `cudaGetDevice` is left alone: programs that use the runtime API choose
 * their device by it.
 */
import { choosesDevice } from '../../analyses/device-ordinals';
import type { Call, Event, FileFacts } from '../../facts/index';
import { pathOf, samePath } from '../../facts/paths';
import { callsMeaning, resolveCallee } from '../../flow/program';
import { happensInBody, mayHappenIn } from '../../flow/visible';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<Record<string, never>>({
  meta: {
    id: 'device/current-context-as-identity',
    summary: 'Whichever CUDA context is current decides which Vulkan device is chosen.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message() {
    return 'The device of the context that happens to be current decides which Vulkan device is chosen: another library or thread may have set another one, or none. Pass the ordinal that the program renders on, or make its context current just before.';
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      for (const call of fn.calls) {
        if (call.api?.name === 'cuCtxGetDevice' && asksUuid(file, call) && isMatch(file, call) && !isMadeCurrent(file, call))
          report({ at: call, data: {} });
      }
    }
  },
});

/** The device goes into a UUID query, or out of this helper. */
function asksUuid(file: FileFacts, call: Call): boolean {
  const device = call.api!.path('device');
  if (!device) return false;
  if (device.kind !== 'local') return true;
  return call.fn.calls.some((each) => {
    if (each.api) return /^cuDeviceGetUuid(_v2)?$/.test(each.api.name) && samePath(each.api.path('device'), device);
    const callee = resolveCallee(file, each);
    return (
      callee !== undefined &&
      each.args.some((arg) => samePath(pathOf(arg), device)) &&
      callee.calls.some((inner) => /^cuDeviceGetUuid/.test(inner.api?.name ?? ''))
    );
  });
}

/** The function matches devices, or its callers do with what it gives. */
function isMatch(file: FileFacts, call: Call): boolean {
  if (choosesDevice(file, call.fn)) return true;
  return callsMeaning(file, call.fn).some(({ fn }) => choosesDevice(file, fn));
}

const current = /^(cuCtxSetCurrent|cuCtxPushCurrent|cuCtxCreate|cudaSetDevice|cudaInitDevice)$/;

/** Made current before, here, in a helper that may have done so, or by a caller of the file. */
function isMadeCurrent(file: FileFacts, call: Call): boolean {
  const sets = (event: Event) => event.kind === 'call' && current.test(event.api?.name ?? '');
  const may = mayHappenIn(file, sets);
  if (call.fn.events.some((event) => event.id < call.id && may(event))) return true;
  return callsMeaning(file, call.fn).some(({ fn }) => happensInBody(file, fn, sets) !== 'no');
}
