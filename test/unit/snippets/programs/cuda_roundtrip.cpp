// The whole seam on a real GPU: Vulkan exports, CUDA imports, timelines both ways, then the inverted direction. Skips
// where there is no CUDA device with a matching Vulkan device.

#include <cuda.h>
#include <fcntl.h>

#include <cstdint>
#include <vector>

#include "cu_device_uuid.hpp"
#include "cu_export_allocation.hpp"
#include "cu_import_buffer.hpp"
#include "cu_timeline.hpp"
#include "double_buffer.hpp"
#include "expect.hpp"
#include "fd_growth.hpp"
#include "teardown.hpp"
#include "vk_export_buffer.hpp"
#include "vk_export_fd.hpp"
#include "vk_import_memory.hpp"
#include "vk_match_uuid.hpp"
#include "vk_timeline.hpp"
#include "vk_timeline_submit.hpp"
#include "vulkan.hpp"

namespace {

constexpr VkDeviceSize kBytes = 1 << 20;
constexpr VkFlags kUsage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr uint32_t kFrames = 50;

struct Slot {
  explicit Slot(const Vulkan& vk)
      : source(vk.gpu, vk.device, kBytes, kUsage),
        import(export_memory_fd(vk.device, source.memory), source.size, kBytes, false) {}
  ExportableBuffer source;
  ImportedBuffer import;  // after the source, so destroyed before it
};

// Vulkan produces into two slots, CUDA reads each frame on its stream. The host never waits for a frame.
void every_frame_arrives(const Vulkan& vk, CUstream stream) {
  Slot slots[2] = {Slot(vk), Slot(vk)};
  const ExportableTimeline ready(vk.device), released(vk.device);
  const ImportedTimeline cuda_ready(export_semaphore_fd(vk.device, ready.semaphore));
  const ImportedTimeline cuda_released(export_semaphore_fd(vk.device, released.semaphore));
  std::vector<uint32_t> seen(kFrames);
  DoubleBuffer buffer;
  for (uint32_t frame = 1; frame <= kFrames; ++frame) {
    const auto write = buffer.next_write();
    const VkCommandBuffer commands =
        vk.record([&](VkCommandBuffer c) { vkCmdFillBuffer(c, slots[write.index].source.buffer, 0, kBytes, frame); });
    const uint64_t free_again = frame > 2 ? frame - 2 : 0;
    submit_frame(vk.queue, commands, released.semaphore, free_again, ready.semaphore, frame);
    buffer.publish();
    const auto read = buffer.latest();
    cuda_ready.wait(stream, read.ready_value);
    const CUdeviceptr last_word = slots[read.index].import.pointer() + kBytes - 4;
    check(cuMemcpyDtoHAsync(&seen[frame - 1], last_word, 4, stream), "cuMemcpyDtoHAsync");
    cuda_released.signal(stream, read.ready_value);
  }
  check(cuStreamSynchronize(stream), "cuStreamSynchronize");
  check(vkDeviceWaitIdle(vk.device), "vkDeviceWaitIdle");
  for (uint32_t frame = 1; frame <= kFrames; ++frame) EXPECT(seen[frame - 1] == frame);
}

void imports_leak_no_fd(const Vulkan& vk) {
  expect_no_fd_growth(10, [&] { Slot slot(vk); });
  const ExportableBuffer source(vk.gpu, vk.device, kBytes, kUsage);
  expect_no_fd_growth(5, [&] {  // a refused import leaves the fd to its owner, who closes it
    UniqueFd wrong(open("/dev/null", O_RDONLY));
    EXPECT(throws<std::runtime_error>([&] { ImportedBuffer(std::move(wrong), source.size, kBytes, false); }));
  });
}

// CUDA owns the memory, Vulkan imports it and writes it.
void inverted_ownership_works(const Vulkan& vk, CUstream stream) {
  const ExportableAllocation frame(0, kBytes);
  const ExportableBuffer probe(vk.gpu, vk.device, frame.size(), kUsage);
  const VkDeviceMemory imported = import_memory(vk.device, frame.export_fd(), frame.size(), probe.memory_type);
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = &external;
  info.size = frame.size();
  info.usage = kUsage;
  VkBuffer buffer = VK_NULL_HANDLE;
  check(vkCreateBuffer(vk.device, &info, nullptr, &buffer), "vkCreateBuffer");
  check(vkBindBufferMemory(vk.device, buffer, imported, 0), "vkBindBufferMemory");
  vk.submit(vk.record([&](VkCommandBuffer c) { vkCmdFillBuffer(c, buffer, 0, frame.size(), 42); }), VK_NULL_HANDLE);
  check(vkDeviceWaitIdle(vk.device), "vkDeviceWaitIdle");
  uint32_t word = 0;
  check(cuMemcpyDtoHAsync(&word, frame.pointer() + kBytes - 4, 4, stream), "cuMemcpyDtoHAsync");
  check(cuStreamSynchronize(stream), "cuStreamSynchronize");
  EXPECT(word == 42);
  vkDestroyBuffer(vk.device, buffer, nullptr);
  vkFreeMemory(vk.device, imported, nullptr);
}

void empty_teardown_is_harmless() {
  SharedImageSeam nothing;
  nothing.destroy();
  nothing.destroy();
}

int roundtrip() {
  const Vulkan vk({VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME});
  if (!vk.device) return skipped("no Vulkan device that exports memory and semaphores");
  if (find_vulkan_device(vk.instance, cuda_device_uuid(0)) != vk.gpu)
    return skipped("the first Vulkan device is another GPU");
  CUcontext context = nullptr;
  check(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  CUstream stream = nullptr;
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  every_frame_arrives(vk, stream);
  imports_leak_no_fd(vk);
  inverted_ownership_works(vk, stream);
  cuStreamDestroy(stream);
  cuDevicePrimaryCtxRelease(0);
  return 0;
}

}  // namespace

int main() {
  empty_teardown_is_harmless();
  int count = 0;
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&count) != CUDA_SUCCESS || count == 0)
    return skipped("no CUDA device");
  return roundtrip();
}
