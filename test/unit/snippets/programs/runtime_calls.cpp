// The runtime API snippets and the producer loop against stand-in functions: ownership of fds, order of destroys, what
// a skipped frame leaves alone.

#include <cuda_runtime.h>

#include "../../../../snippets/src/cuda-cpp/frame_loop.cu"
#include "calls.hpp"
#include "closes.hpp"
#include "cudart_import_buffer.hpp"
#include "cudart_import_image.hpp"
#include "expect.hpp"

namespace {

cudaError_t cu(const std::string& name) {
  return called(name) ? cudaSuccess : cudaErrorUnknown;
}

// What every successful import does: a handle, and the fd is the driver's.
template <typename Handle>
cudaError_t adopt(const char* name, Handle* handle, int fd) {
  const cudaError_t result = cu(name);
  if (result != cudaSuccess) return result;
  *handle = fake<Handle>();
  close(fd);
  return cudaSuccess;
}

}  // namespace

extern "C" {
const char* cudaGetErrorName(cudaError_t) {
  return "cudaErrorUnknown";
}
cudaError_t cudaImportExternalMemory(cudaExternalMemory_t* memory, const cudaExternalMemoryHandleDesc* desc) {
  return adopt("import", memory, desc->handle.fd);
}
cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t* semaphore,
                                        const cudaExternalSemaphoreHandleDesc* desc) {
  return adopt("import", semaphore, desc->handle.fd);
}
cudaError_t cudaExternalMemoryGetMappedBuffer(void** pointer, cudaExternalMemory_t,
                                              const cudaExternalMemoryBufferDesc*) {
  *pointer = fake<void*>();
  return cu("map");
}
cudaError_t cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t* levels, cudaExternalMemory_t,
                                                      const cudaExternalMemoryMipmappedArrayDesc*) {
  *levels = fake<cudaMipmappedArray_t>();
  return cu("map");
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* array, cudaMipmappedArray_const_t, unsigned) {
  *array = fake<cudaArray_t>();
  return cu("level");
}
cudaError_t cudaFree(void*) {
  return cu("free");
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t) {
  return cu("freeLevels");
}
cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t) {
  return cu("destroyMemory");
}
cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t) {
  return cu("destroySemaphore");
}
cudaError_t cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t*,
                                            const cudaExternalSemaphoreWaitParams* params, unsigned, cudaStream_t) {
  return cu("wait:" + std::to_string(params->params.fence.value));
}
cudaError_t cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t*,
                                              const cudaExternalSemaphoreSignalParams* params, unsigned, cudaStream_t) {
  return cu("signal:" + std::to_string(params->params.fence.value));
}
}

namespace {

template <typename Import>
void one_transfer_point(Import&& import) {
  for (const char* refused : {"", "import"}) {
    failing = refused;
    UniqueFd fd(open_null());
    const int number = fd.get();
    EXPECT(throws<std::runtime_error>([&] { import(std::move(fd)); }) == !failing.empty());
    EXPECT(!is_open(number) && closed_twice == 0);
  }
  failing.clear();
  taken();
}

void imports_own_and_destroy_in_order() {
  one_transfer_point([](UniqueFd fd) { ImportedBuffer(std::move(fd), 65536, 4096, false); });
  one_transfer_point([](UniqueFd fd) { ImportedImage(std::move(fd), 65536, 8, 4); });
  one_transfer_point([](UniqueFd fd) { ImportedTimeline{std::move(fd)}; });
  { ImportedBuffer(UniqueFd(open_null()), 65536, 4096, true); }
  EXPECT(taken() == "import map free destroyMemory");
  { ImportedImage(UniqueFd(open_null()), 65536, 8, 4); }
  EXPECT(taken() == "import map level freeLevels destroyMemory");
}

void skipped_frame_leaves_index_and_timeline() {
  const ImportedTimeline ready{UniqueFd(open_null())};
  const ImportedTimeline released{UniqueFd(open_null())};
  DoubleBuffer buffer;
  using Render = bool (*)(unsigned, cudaStream_t);
  FrameProducer<Render> producer(buffer, ready, released);
  Render draw = [](unsigned slot, cudaStream_t) { return called("draw:" + std::to_string(slot)); };
  Render skip = [](unsigned, cudaStream_t) { return false; };
  taken();
  producer.produce(nullptr, draw);
  producer.produce(nullptr, skip);
  EXPECT(buffer.latest().ready_value == 1);
  producer.produce(nullptr, draw);
  producer.produce(nullptr, draw);
  EXPECT(taken() == "wait:0 draw:1 signal:1 wait:0 wait:0 draw:0 signal:2 wait:1 draw:1 signal:3");
  EXPECT(buffer.latest().ready_value == 3 && buffer.latest().index == 1);
}

}  // namespace

int main() {
  imports_own_and_destroy_in_order();
  skipped_frame_leaves_index_and_timeline();
  EXPECT(closed_twice == 0);
  return 0;
}
