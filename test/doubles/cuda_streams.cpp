// libcuda's stand-in, continued: streams, events, kernels and semaphores. Every call does its work before it returns,
// so an event has always passed, unless gpu_queue.hpp makes copies slow.

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>

#include "cuda_kernels.hpp"
#include "drivers/cuda_interop_types.hpp"
#include "faults.hpp"
#include "gpu_queue.hpp"

using doubles::fault;
using doubles::Kernel;
using namespace seamscope::cuda;

namespace {

constexpr int kInvalidValue = 1, kInvalidImage = 200, kNotFound = 500, kNotReady = 600;

struct Module {
  std::string ptx;
};
struct Semaphore {
  unsigned long long value = 0;
};
char stream_place;
struct Event {
  std::atomic<bool> passed{true};
};

template <typename Handle>
Handle new_stream_like() {
  return reinterpret_cast<Handle>(new char(stream_place));
}

}  // namespace

#define OR_FAULT(name) \
  if (const int error = fault(name)) return error

#pragma GCC visibility push(default)
extern "C" {

int cuStreamCreate(CUstream* stream, unsigned) {
  OR_FAULT("cuStreamCreate");
  *stream = new_stream_like<CUstream>();
  return 0;
}

int cuStreamDestroy_v2(CUstream stream) {
  OR_FAULT("cuStreamDestroy");
  delete reinterpret_cast<char*>(stream);
  return 0;
}

int cuStreamSynchronize(CUstream) {
  OR_FAULT("cuStreamSynchronize");
  doubles::wait_for_gpu();
  return 0;
}

int cuEventCreate(CUevent* event, unsigned) {
  OR_FAULT("cuEventCreate");
  *event = reinterpret_cast<CUevent>(new Event);
  return 0;
}

int cuEventDestroy_v2(CUevent event) {
  OR_FAULT("cuEventDestroy");
  delete reinterpret_cast<Event*>(event);
  return 0;
}

int cuEventRecord(CUevent handle, CUstream) {
  OR_FAULT("cuEventRecord");
  auto* event = reinterpret_cast<Event*>(handle);
  event->passed = false;
  doubles::put_on_gpu([event] { event->passed = true; });
  return 0;
}

int cuEventQuery(CUevent event) {
  OR_FAULT("cuEventQuery");
  return reinterpret_cast<Event*>(event)->passed ? 0 : kNotReady;
}

int cuModuleLoadData(CUmodule* module, const void* image) {
  OR_FAULT("cuModuleLoadData");
  const std::string text = static_cast<const char*>(image);
  if (text.find(".version") == std::string::npos) return kInvalidImage;
  *module = reinterpret_cast<CUmodule>(new Module{text});
  return 0;
}

int cuModuleUnload(CUmodule module) {
  OR_FAULT("cuModuleUnload");
  delete reinterpret_cast<Module*>(module);
  return 0;
}

// As on a GPU, only what the text defines can be found.
int cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  OR_FAULT("cuModuleGetFunction");
  const auto& text = reinterpret_cast<Module*>(module)->ptx;
  const Kernel* kernel = doubles::find_kernel(name);
  if (!kernel || text.find(std::string(".visible .entry ") + name + "(") == std::string::npos) return kNotFound;
  *function = reinterpret_cast<CUfunction>(const_cast<Kernel*>(kernel));
  return 0;
}

int cuLaunchKernel(CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                   void** parameters, void**) {
  OR_FAULT("cuLaunchKernel");
  reinterpret_cast<const Kernel*>(function)->run(parameters);
  return 0;
}

// lavapipe exports no semaphores: whatever descriptor comes is adopted, and values live in this process alone.
int cuImportExternalSemaphore(CUexternalSemaphore* semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* desc) {
  OR_FAULT("cuImportExternalSemaphore");
  struct stat status {};
  if (fstat(desc->handle.fd, &status) != 0) return kInvalidValue;
  close(desc->handle.fd);
  *semaphore = reinterpret_cast<CUexternalSemaphore>(new Semaphore);
  return 0;
}

int cuDestroyExternalSemaphore(CUexternalSemaphore semaphore) {
  OR_FAULT("cuDestroyExternalSemaphore");
  delete reinterpret_cast<Semaphore*>(semaphore);
  return 0;
}

int cuWaitExternalSemaphoresAsync(const CUexternalSemaphore* semaphores,
                                  const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* params, unsigned count, CUstream) {
  OR_FAULT("cuWaitExternalSemaphoresAsync");
  for (unsigned i = 0; i < count; ++i)
    if (reinterpret_cast<Semaphore*>(semaphores[i])->value < params[i].params.fence) return kNotReady;
  return 0;
}

int cuSignalExternalSemaphoresAsync(const CUexternalSemaphore* semaphores,
                                    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* params, unsigned count, CUstream) {
  OR_FAULT("cuSignalExternalSemaphoresAsync");
  for (unsigned i = 0; i < count; ++i) reinterpret_cast<Semaphore*>(semaphores[i])->value = params[i].params.fence;
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
