#pragma once

#include <cuda.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "check_cuda.hpp"

// snippet: begin seam-cu-device-uuid | The MIG-aware UUID of a CUDA ordinal
// snippet: placeholders cuda_device_uuid
using DeviceUuid = std::array<uint8_t, 16>;

// `ordinal` counts what CUDA_VISIBLE_DEVICES leaves visible: the number that the renderer's GPU
// filter, deviceIds and DLTensor.device.device_id use too. The _v2 query names the MIG instance
// itself; cudaDeviceProp::uuid, the legacy query and PCI identity can name the parent GPU, which
// its instances share. Needs no context.
inline DeviceUuid cuda_device_uuid(int ordinal) {
  check(cuInit(0), "cuInit");
  CUdevice device = 0;
  check(cuDeviceGet(&device, ordinal), "cuDeviceGet");
  CUuuid uuid{};
  check(cuDeviceGetUuid_v2(&uuid, device), "cuDeviceGetUuid_v2");
  DeviceUuid bytes{};
  std::copy_n(reinterpret_cast<const uint8_t*>(uuid.bytes), bytes.size(), bytes.begin());
  return bytes;
}
// snippet: end
