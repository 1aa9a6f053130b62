#pragma once

#include <cuda.h>
#include <dlpack/dlpack.h>

#include <stdexcept>
#include <string>

#include "check_cuda.hpp"

// snippet: begin seam-cu-output-device | Make the CUDA device of a mapped output current for one block
// snippet: placeholders ScopedOutputDevice
// An output is not necessarily on device 0, and several products can land on several devices.
class ScopedOutputDevice {
 public:
  explicit ScopedOutputDevice(const DLTensor& tensor) {
    check(cuDeviceGet(&device_, tensor.device.device_id), "cuDeviceGet");
    CUcontext context = nullptr;
    check(cuDevicePrimaryCtxRetain(&context, device_), "cuDevicePrimaryCtxRetain");
    const CUresult pushed = cuCtxPushCurrent(context);
    if (pushed != CUDA_SUCCESS) cuDevicePrimaryCtxRelease(device_);
    check(pushed, "cuCtxPushCurrent");
  }
  ScopedOutputDevice(const ScopedOutputDevice&) = delete;
  ScopedOutputDevice& operator=(const ScopedOutputDevice&) = delete;
  ~ScopedOutputDevice() {
    CUcontext popped = nullptr;
    cuCtxPopCurrent(&popped);  // one pop for the one push: the caller's context is current again
    cuDevicePrimaryCtxRelease(device_);  // retained, so released; cuCtxDestroy would be wrong
  }

 private:
  CUdevice device_ = 0;
};
// snippet: end

// snippet: begin seam-validate-output-device | Check the first mapped output against the configured CUDA ordinal
// snippet: placeholders require_configured_device
// One ordinal serves the renderer's active-GPU filter, deviceIds, CUDA and the Vulkan match. All of
// them count after CUDA_VISIBLE_DEVICES. Check once, then keep the match made at start-up.
inline void require_configured_device(const DLTensor& first_output, int configured_ordinal) {
  const int actual = first_output.device.device_id;
  if (first_output.device.device_type == kDLCUDA && actual == configured_ordinal) return;
  throw std::runtime_error("the output is on CUDA ordinal " + std::to_string(actual) +
      ", but ordinal " + std::to_string(configured_ordinal) +
      " is configured: set the product's deviceIds and the GPU filter alike");
}
// snippet: end
