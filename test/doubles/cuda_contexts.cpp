// libcuda's stand-in, continued: contexts, one a device, and each thread's stack of them.

#include <array>
#include <vector>

#include "drivers/cuda_interop_types.hpp"
#include "faults.hpp"
#include "lavapipe_memory.hpp"

using doubles::fault;
using namespace seamscope::cuda;

namespace {

constexpr int kInvalidDevice = 101, kInvalidContext = 201;
constexpr size_t kDevices = 16;
std::array<char, kDevices> primary;
thread_local std::vector<CUcontext> stack;

}  // namespace

#define OR_FAULT(name) \
  if (const int error = fault(name)) return error

#pragma GCC visibility push(default)
extern "C" {

int cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
  OR_FAULT("cuDevicePrimaryCtxRetain");
  if (device < 0 || static_cast<size_t>(device) >= kDevices) return kInvalidDevice;
  doubles::learn_lavapipe_header();
  *out = reinterpret_cast<CUcontext>(&primary[static_cast<size_t>(device)]);
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(CUdevice) {
  OR_FAULT("cuDevicePrimaryCtxRelease");
  return 0;
}

int cuCtxSetCurrent(CUcontext context) {
  OR_FAULT("cuCtxSetCurrent");
  if (!stack.empty()) stack.pop_back();
  if (context) stack.push_back(context);
  return 0;
}

int cuCtxGetCurrent(CUcontext* context) {
  OR_FAULT("cuCtxGetCurrent");
  *context = stack.empty() ? nullptr : stack.back();
  return 0;
}

int cuCtxPushCurrent_v2(CUcontext context) {
  OR_FAULT("cuCtxPushCurrent");
  stack.push_back(context);
  return 0;
}

int cuCtxPopCurrent_v2(CUcontext* context) {
  OR_FAULT("cuCtxPopCurrent");
  if (stack.empty()) return kInvalidContext;
  if (context) *context = stack.back();
  stack.pop_back();
  return 0;
}

int cuCtxGetDevice(CUdevice* device) {
  OR_FAULT("cuCtxGetDevice");
  if (stack.empty()) return kInvalidContext;
  *device = static_cast<CUdevice>(reinterpret_cast<char*>(stack.back()) - primary.data());
  return 0;
}

int cuCtxEnablePeerAccess(CUcontext peer, unsigned) {
  OR_FAULT("cuCtxEnablePeerAccess");
  if (stack.empty() || stack.back() == peer) return kInvalidContext;
  return 0;
}

int cuCtxDisablePeerAccess(CUcontext) {
  OR_FAULT("cuCtxDisablePeerAccess");
  return 0;
}

int cuStreamGetCtx(CUstream, CUcontext* context) {
  OR_FAULT("cuStreamGetCtx");
  return cuCtxGetCurrent(context);
}

int cuThreadExchangeStreamCaptureMode(int*) {
  OR_FAULT("cuThreadExchangeStreamCaptureMode");
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
