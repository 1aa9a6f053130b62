// The order of calls and the ownership of fds in the driver API, Vulkan and ovrtx snippets, against stand-in functions:
// what is closed when an import fails, what is destroyed before what, what is waited for before it is read.

#include "cu_binary_semaphore.hpp"
#include "cu_device_uuid.hpp"
#include "cu_export_allocation.hpp"
#include "cu_import_buffer.hpp"
#include "cu_import_image.hpp"
#include "cu_timeline.hpp"
#include "expect.hpp"
#include "fake_driver.hpp"
#include "output_device.hpp"
#include "ovrtx_map_array.hpp"
#include "ovrtx_map_linear.hpp"
#include "ovrtx_sync_stream.hpp"
#include "scene_lifetime.hpp"
#include "teardown.hpp"
#include "vk_import_memory.hpp"

namespace {

// Accepted: the importer has closed the fd, once. Refused: its owner has, once, and the error arrives.
template <typename Import>
void one_transfer_point(const char* function, Import&& import) {
  for (const char* refused : {"", function}) {
    failing = refused;
    UniqueFd fd(open_null());
    const int number = fd.get();
    EXPECT(throws<std::runtime_error>([&] { import(std::move(fd)); }) == !failing.empty());
    EXPECT(!is_open(number) && closed_twice == 0);
  }
  failing.clear();
  taken();
}

void every_import_has_one_transfer_point() {
  one_transfer_point("cuImportExternalMemory", [](UniqueFd fd) { ImportedBuffer(std::move(fd), 65536, 4096, false); });
  one_transfer_point("cuImportExternalMemory", [](UniqueFd fd) { ImportedImage(std::move(fd), 65536, 8, 4); });
  one_transfer_point("cuImportExternalSemaphore", [](UniqueFd fd) { ImportedTimeline{std::move(fd)}; });
  one_transfer_point("cuImportExternalSemaphore", [](UniqueFd fd) { ImportedBinarySemaphore{std::move(fd)}; });
  one_transfer_point("vkAllocateMemory", [](UniqueFd fd) { import_memory(fake<VkDevice>(), std::move(fd), 65536, 0); });
}

void mapping_goes_before_its_import() {
  { ImportedBuffer(UniqueFd(open_null()), 65536, 4096, true); }
  EXPECT(taken() == "cuImportExternalMemory cuExternalMemoryGetMappedBuffer cuMemFree cuDestroyExternalMemory");
  { ImportedImage(UniqueFd(open_null()), 65536, 8, 4); }
  EXPECT(taken() ==
         "cuImportExternalMemory cuExternalMemoryGetMappedMipmappedArray cuMipmappedArrayGetLevel "
         "cuMipmappedArrayDestroy cuDestroyExternalMemory");
}

void failed_mapping_destroys_the_import() {
  failing = "cuExternalMemoryGetMappedBuffer";
  EXPECT(throws<std::runtime_error>([] { ImportedBuffer(UniqueFd(open_null()), 65536, 4096, true); }));
  EXPECT(taken() == "cuImportExternalMemory cuExternalMemoryGetMappedBuffer cuGetErrorName cuDestroyExternalMemory");
  failing.clear();
}

void semaphores_carry_values() {
  const ImportedTimeline timeline{UniqueFd(open_null())};
  const ImportedBinarySemaphore binary{UniqueFd(open_null())};
  taken();
  timeline.wait(nullptr, 7);
  timeline.signal(nullptr, 8);
  binary.wait(nullptr);
  binary.signal(nullptr);
  EXPECT(taken() == "wait:7 signal:8 wait:0 signal:0");
}

void exported_allocation_is_undone_step_by_step() {
  {
    const ExportableAllocation whole(0, 5);
    EXPECT(whole.size() == 2 << 20);
    EXPECT(whole.export_fd().get() >= 0);
    taken();
  }
  EXPECT(taken() == "cuMemUnmap cuMemAddressFree cuMemRelease");
  failing = "cuMemMap";
  EXPECT(throws<std::runtime_error>([] { ExportableAllocation(0, 5); }));
  EXPECT(taken() ==
         "cuMemGetAllocationGranularity cuMemCreate cuMemAddressReserve cuMemMap cuGetErrorName cuMemAddressFree "
         "cuMemRelease");
  failing.clear();
}

void output_is_waited_for_read_recorded_and_unmapped() {
  int64_t shape[] = {4, 8, 4};
  fake_tensor = {};
  fake_tensor.ndim = 3;
  fake_tensor.shape = shape;
  fake_tensor.dtype = {kDLUInt, 8, 1};
  copy_linear_output(nullptr, 1, nullptr, nullptr, 0x50);
  EXPECT(taken() == "map:0 cuStreamWaitEvent cuMemcpyDtoDAsync cuEventRecord unmap:nothing");
  const auto done = fake<CUevent>();
  copy_linear_output(nullptr, 1, nullptr, done, 0x50);
  EXPECT(taken() == "map:0 cuStreamWaitEvent cuMemcpyDtoDAsync cuEventRecord unmap:event");
  EXPECT(throws<std::runtime_error>([&] { copy_array_output(nullptr, 1, nullptr, done, 0x50, 512); }));
  taken();  // linear memory is no array; it was unmapped all the same
  fake_tensor.dtype = {kDLOpaqueHandle, 64, 1};
  copy_array_output(nullptr, 1, nullptr, done, 0x50, 512);
  EXPECT(taken() == "map:0 cuStreamWaitEvent cuArrayGetDescriptor cuMemcpy2DAsync cuEventRecord unmap:event");
}

void output_that_cannot_be_waited_for_is_unmapped() {
  failing = "cuStreamWaitEvent";
  EXPECT(throws<std::runtime_error>([] { copy_linear_output(nullptr, 1, nullptr, fake<CUevent>(), 0x50); }));
  EXPECT(taken() == "map:0 cuStreamWaitEvent cuGetErrorName cuEventRecord unmap:event");
  failing = "map:0";
  EXPECT(throws<std::runtime_error>([] { copy_linear_output(nullptr, 1, nullptr, fake<CUevent>(), 0x50); }));
  EXPECT(taken() == "map:0");
  failing.clear();
}

void null_stream_is_ovrtx_stream_1() {
  const auto mapped = map_on_stream(nullptr, 1, nullptr);
  unmap_on_stream(nullptr, mapped, nullptr);
  map_on_stream(nullptr, 1, reinterpret_cast<CUstream>(0x99));
  EXPECT(taken() == "map:1 unmap:stream map:153");
}

void device_of_the_output_is_current_for_the_block() {
  fake_tensor.device = {kDLCUDA, 3};
  { const ScopedOutputDevice scope(fake_tensor); }
  EXPECT(taken() == "cuDeviceGet cuDevicePrimaryCtxRetain cuCtxPushCurrent cuCtxPopCurrent cuDevicePrimaryCtxRelease");
  require_configured_device(fake_tensor, 3);
  EXPECT(throws<std::runtime_error>([] { require_configured_device(fake_tensor, 0); }));
  EXPECT(cuda_device_uuid(9)[15] == 9);
  EXPECT(taken() == "cuInit cuDeviceGet cuDeviceGetUuid_v2");
}

void teardown_runs_from_consumer_to_producer_once() {
  SharedImageSeam seam;
  seam.device = fake<VkDevice>();
  seam.stream = fake<CUstream>();
  seam.surface = 1;
  seam.levels = fake<CUmipmappedArray>();
  seam.imported = fake<CUexternalMemory>();
  seam.imported_timeline = fake<CUexternalSemaphore>();
  seam.destroy();
  EXPECT(taken() ==
         "cuStreamSynchronize vkDeviceWaitIdle cuSurfObjectDestroy cuMipmappedArrayDestroy cuDestroyExternalMemory "
         "cuDestroyExternalSemaphore cuStreamDestroy vkDestroyCommandPool vkDestroyDescriptorPool vkDestroyImageView "
         "vkDestroyImage vkFreeMemory vkDestroySemaphore vkDestroyDevice");
  seam.destroy();
  EXPECT(taken().empty());
}

void scene_goes_without_the_persistent_part() {
  {
    SceneResources scene(fake<VkDevice>(), fake<VkCommandPool>());
    scene.replace_descriptors(fake<VkDescriptorPool>());
    taken();
  }
  EXPECT(taken() == "vkDeviceWaitIdle vkDestroyDescriptorPool vkDestroyBuffer vkFreeMemory");
}

}  // namespace

int main() {
  every_import_has_one_transfer_point();
  mapping_goes_before_its_import();
  failed_mapping_destroys_the_import();
  semaphores_carry_values();
  exported_allocation_is_undone_step_by_step();
  taken();
  output_is_waited_for_read_recorded_and_unmapped();
  output_that_cannot_be_waited_for_is_unmapped();
  null_stream_is_ovrtx_stream_1();
  device_of_the_output_is_current_for_the_block();
  teardown_runs_from_consumer_to_producer_once();
  scene_goes_without_the_persistent_part();
  EXPECT(closed_twice == 0);
  return 0;
}
