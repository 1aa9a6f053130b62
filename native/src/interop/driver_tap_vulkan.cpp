// Wraps the Vulkan device table. Whether a call imports, or copies to the host, follows from its arguments and from
// what the same table has seen of the memory involved.

#include <chrono>
#include <map>
#include <set>

#include "interop/driver_tap.hpp"

namespace seamscope::interop {
namespace {

// Entries that return a VkResult and can fail.
// A list, one entry a line.
// clang-format off
#define SEAMSCOPE_VULKAN_FALLIBLE(X) \
  X(vkAllocateCommandBuffers) \
  X(vkAllocateDescriptorSets) \
  X(vkAllocateMemory) \
  X(vkBeginCommandBuffer) \
  X(vkBindBufferMemory) \
  X(vkBindImageMemory) \
  X(vkCreateBuffer) \
  X(vkCreateCommandPool) \
  X(vkCreateComputePipelines) \
  X(vkCreateDescriptorPool) \
  X(vkCreateDescriptorSetLayout) \
  X(vkCreateFence) \
  X(vkCreateImage) \
  X(vkCreatePipelineLayout) \
  X(vkCreateSemaphore) \
  X(vkCreateShaderModule) \
  X(vkEndCommandBuffer) \
  X(vkGetMemoryFdKHR) \
  X(vkGetSemaphoreFdKHR) \
  X(vkMapMemory) \
  X(vkQueueSubmit) \
  X(vkResetFences) \
  X(vkSignalSemaphore) \
  X(vkWaitForFences) \
  X(vkWaitSemaphores)
// clang-format on

VolkDeviceTable real_table;

// Memory that the host has mapped and that is not shared: a copy to or from it is a host copy. Shared memory that the
// host reads in place is no copy, even where it is mapped.
struct Memories {
  std::set<VkDeviceMemory> shared, mapped;
  std::map<VkBuffer, VkDeviceMemory> behind;

  bool is_host(VkBuffer buffer) const {
    const auto found = behind.find(buffer);
    return found != behind.end() && mapped.count(found->second) && !shared.count(found->second);
  }
} memories;

const void* find_in_chain(const void* chain, VkStructureType type) {
  for (auto* next = static_cast<const VkBaseInStructure*>(chain); next; next = next->pNext)
    if (next->sType == type) return next;
  return nullptr;
}

template <typename Name, typename... Arguments>
CallKind kind_of(Arguments...) {
  if constexpr (std::string_view(Name::text()) == "vkGetMemoryFdKHR") return CallKind::MemoryExport;
  if constexpr (std::string_view(Name::text()) == "vkGetSemaphoreFdKHR") return CallKind::SemaphoreExport;
  return CallKind::Other;
}

template <typename Name>
CallKind kind_of(VkDevice, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks*, VkDeviceMemory* memory) {
  const bool import = find_in_chain(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
  if (import || find_in_chain(info->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO))
    memories.shared.insert(*memory);
  return import ? CallKind::MemoryImport : CallKind::Other;
}

template <typename Name>
CallKind kind_of(VkDevice, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize) {
  memories.behind[buffer] = memory;
  return CallKind::Other;
}

template <typename Name>
CallKind kind_of(VkDevice, VkDeviceMemory memory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags, void**) {
  memories.mapped.insert(memory);
  return CallKind::Other;
}

template <auto Member, typename Name, typename... Arguments>
VKAPI_ATTR VkResult VKAPI_CALL counted(Arguments... arguments) {
  auto& tap = DriverTap::process();
  if (tap.enter(Name::text())) return VK_ERROR_OUT_OF_HOST_MEMORY;
  const auto start = std::chrono::steady_clock::now();
  const VkResult result = (real_table.*Member)(arguments...);
  if (result >= 0) {
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    tap.leave(Name::text(), kind_of<Name>(arguments...), took.count());
  }
  return result;
}

template <auto Member, typename Name, typename... Arguments>
auto hook(VkResult(VKAPI_PTR*)(Arguments...)) {
  return &counted<Member, Name, Arguments...>;
}

VKAPI_ATTR void VKAPI_CALL copy_buffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t count,
                                       const VkBufferCopy* regions) {
  if (memories.is_host(from) || memories.is_host(to)) DriverTap::process().host_copy();
  real_table.vkCmdCopyBuffer(commands, from, to, count, regions);
}

VKAPI_ATTR void VKAPI_CALL copy_to_image(VkCommandBuffer commands, VkBuffer from, VkImage to, VkImageLayout layout,
                                         uint32_t count, const VkBufferImageCopy* regions) {
  if (memories.is_host(from)) DriverTap::process().host_copy();
  real_table.vkCmdCopyBufferToImage(commands, from, to, layout, count, regions);
}

VKAPI_ATTR void VKAPI_CALL copy_from_image(VkCommandBuffer commands, VkImage from, VkImageLayout layout, VkBuffer to,
                                           uint32_t count, const VkBufferImageCopy* regions) {
  if (memories.is_host(to)) DriverTap::process().host_copy();
  real_table.vkCmdCopyImageToBuffer(commands, from, layout, to, count, regions);
}

VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* allocator) {
  memories.shared.erase(memory);
  memories.mapped.erase(memory);
  real_table.vkFreeMemory(device, memory, allocator);
}

VKAPI_ATTR void VKAPI_CALL destroy_buffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks* allocator) {
  memories.behind.erase(buffer);
  real_table.vkDestroyBuffer(device, buffer, allocator);
}

#define SEAMSCOPE_NAME(name)                              \
  struct Name_##name {                                    \
    static constexpr const char* text() { return #name; } \
  };
SEAMSCOPE_VULKAN_FALLIBLE(SEAMSCOPE_NAME)
#undef SEAMSCOPE_NAME

}  // namespace

// Devices of one process come from one driver here, so that one remembered table serves them all.
void DriverTap::wrap_vulkan(VolkDeviceTable& table) {
  real_table = table;
#define SEAMSCOPE_HOOK(name) \
  if (table.name) table.name = hook<&VolkDeviceTable::name, Name_##name>(real_table.name);
  SEAMSCOPE_VULKAN_FALLIBLE(SEAMSCOPE_HOOK)
#undef SEAMSCOPE_HOOK
  table.vkCmdCopyBuffer = copy_buffer;
  table.vkCmdCopyBufferToImage = copy_to_image;
  table.vkCmdCopyImageToBuffer = copy_from_image;
  table.vkFreeMemory = free_memory;
  table.vkDestroyBuffer = destroy_buffer;
}

}  // namespace seamscope::interop
