#pragma once
// Why something is absent: the closed list of ReasonCode in helper/protocol/devices.ts, with the texts in reason.cpp.

#include <initializer_list>
#include <string>

#include "base/result.hpp"

namespace seamscope {

// Same order as the table in reason.cpp and as the union in helper/protocol/devices.ts.
enum class ReasonCode {
  CpuDriver,
  NotNvidia,
  OtherDriverSameGpu,
  VulkanLoaderMissing,
  VulkanNoIcd,
  VulkanIcdRejected,
  VulkanEnumerationFailed,
  ContainerWithoutGraphics,
  CudaLibraryMissing,
  CudaStubLibrary,
  CudaNoDevice,
  CudaDriverMismatch,
  CudaSystemNotReady,
  CudaCompatUnsupported,
  CudaMpsFailed,
  CudaInitFailed,
  CudaCallFailed,
  CudaTooOldForUuidV2,
  NvmlLibraryMissing,
  NvmlInitFailed,
  NvmlDriverMismatch,
  NvmlNoPermission,
  NvmlCallFailed,
  HiddenByCudaVisibleDevices,
  HiddenByLoaderFilter,
  DeviceNodeNoPermission,
  MigWithoutGraphics,
  MigWithoutComputeInstance,
  MigOneInstanceLimit,
  GpuLost,
  Tegra,
  Wsl,
  DriverLibraryDamaged,
  AddonMissing,
  ProbeFailed,
  DriverHangs,
  NoPartner,
};
constexpr int kReasonCodes = static_cast<int>(ReasonCode::NoPartner) + 1;

struct Reason {
  ReasonCode code = ReasonCode::NoPartner;
  std::string message;
  std::string next_step;
  std::string detail;  // the driver's own words or number; may be empty
};

// "cuda-no-device"
const char* reason_name(ReasonCode code);

// Fills {0}, {1}, ... of the code's texts with `values`.
Reason make_reason(ReasonCode code, std::initializer_list<std::string> values = {}, std::string detail = "");

// Why a driver's library could not be opened: `absent`, or that it is damaged.
Reason library_reason(ReasonCode absent, const Error& error);

}  // namespace seamscope
