/** Code that selects exactly one device, whatever its ordinals and indices are. Everything is by UUID. */
import { type DeviceParts, deviceName, visibleDevicesValue } from '../../../../helper/protocol/device-parts';

export function visibleDevicesLine(device: DeviceParts): string | undefined {
  const value = visibleDevicesValue(device);
  return value && `CUDA_VISIBLE_DEVICES=${value}`;
}

/** A header for C++: the UUID, and how CUDA's driver API and Vulkan find the device. Undefined where neither of the two has it. */
export function cppSnippet(device: DeviceParts): string | undefined {
  const cuda = cudaUuid(device);
  const uuid = cuda ?? device.vulkan?.deviceUuid;
  if (!uuid) return undefined;
  const parts = [cuda && cudaCpp, device.vulkan && vulkanCpp].filter((part) => part !== undefined);
  const headers = [cuda && '#include <cuda.h>', device.vulkan && '#include <vulkan/vulkan.h>'].filter(Boolean);
  const standard = ['#include <cstdint>', '#include <cstring>', ...(device.vulkan ? ['#include <vector>'] : [])];
  return `${[
    `// ${comment(device)}`,
    ...headers,
    '',
    ...standard,
    '',
    `inline constexpr uint8_t kDeviceUuid[16] = {${bytesOf(uuid).slice(0, 8).join(', ')},`,
    `                                            ${bytesOf(uuid).slice(8).join(', ')}};`,
    '',
    parts.join('\n'),
  ].join('\n')}`;
}

/** Python without packages: the ordinal that torch, cupy and the driver API give the device in this process. */
export function pythonSnippet(device: DeviceParts): string | undefined {
  const uuid = cudaUuid(device);
  if (!uuid) return undefined;
  return `# ${comment(device)}
import ctypes
import uuid

DEVICE_UUID = uuid.UUID("${uuid}")


def device_ordinal():
    """The CUDA ordinal of DEVICE_UUID in this process, for torch.device("cuda", ordinal) and the like."""
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name, *arguments):
        result = getattr(cuda, name)(*arguments)
        if result != 0:
            raise RuntimeError(f"{name} failed with CUDA error {result}")

    count, device, raw = ctypes.c_int(), ctypes.c_int(), (ctypes.c_ubyte * 16)()
    call("cuInit", 0)
    call("cuDeviceGetCount", ctypes.byref(count))
    for ordinal in range(count.value):
        call("cuDeviceGet", ctypes.byref(device), ordinal)
        # The _v2 query names a MIG instance itself; the older one names its GPU.
        call("cuDeviceGetUuid_v2", raw, device)
        if bytes(raw) == DEVICE_UUID.bytes:
            return ordinal
    raise RuntimeError(f"CUDA does not list {DEVICE_UUID}: see CUDA_VISIBLE_DEVICES")
`;
}

const cudaCpp = `// The CUDA device in this process, or -1 where CUDA does not list it. Needs no context.
inline CUdevice find_cuda_device() {
  int count = 0;
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&count) != CUDA_SUCCESS) return -1;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice device = 0;
    CUuuid uuid{};
    // The _v2 query names a MIG instance itself; the older one names its GPU.
    if (cuDeviceGet(&device, ordinal) == CUDA_SUCCESS &&
        cuDeviceGetUuid_v2(&uuid, device) == CUDA_SUCCESS &&
        std::memcmp(uuid.bytes, kDeviceUuid, sizeof(kDeviceUuid)) == 0)
      return device;
  }
  return -1;
}
`;

const vulkanCpp = `// The Vulkan device, or VK_NULL_HANDLE where Vulkan does not list it. The instance is of Vulkan 1.1 or newer.
inline VkPhysicalDevice find_vulkan_device(VkInstance instance) {
  uint32_t count = 0;
  if (vkEnumeratePhysicalDevices(instance, &count, nullptr) != VK_SUCCESS) return VK_NULL_HANDLE;
  std::vector<VkPhysicalDevice> devices(count);
  if (vkEnumeratePhysicalDevices(instance, &count, devices.data()) != VK_SUCCESS)
    return VK_NULL_HANDLE;
  devices.resize(count);
  for (VkPhysicalDevice device : devices) {
    VkPhysicalDeviceIDProperties id{};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &id;
    vkGetPhysicalDeviceProperties2(device, &properties);
    if (std::memcmp(id.deviceUUID, kDeviceUuid, sizeof(kDeviceUuid)) == 0) return device;
  }
  return VK_NULL_HANDLE;
}
`;

/** The device's name comes from a driver: it must stay within its line, and a backslash at the end would take the next line in. */
function comment(device: DeviceParts): string {
  return `Selects ${deviceName(device).replace(/[^\x20-\x7e]|[\\?]/g, ' ')} by its UUID.`;
}

/** What cuDeviceGetUuid_v2 answers, also in an environment that hides the device: in MIG mode instances stand in place of their GPU. */
function cudaUuid({ cuda, instance, gpu }: DeviceParts): string | undefined {
  return cuda?.uuid ?? instance?.uuid ?? (gpu?.mig.current ? undefined : gpu?.uuid);
}

function bytesOf(uuid: string): string[] {
  return (uuid.replaceAll('-', '').match(/../g) ?? []).map((byte) => `0x${byte}`);
}
