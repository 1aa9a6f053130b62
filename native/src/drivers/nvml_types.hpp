#pragma once
// Own declarations of the NVML types used here; layouts and numbers are NVML's binary interface.

#include <cstdint>

namespace seamscope::nvml {

using nvmlReturn_t = int;
using nvmlDevice_t = struct nvmlDevice_st*;
using nvmlGpuInstance_t = struct nvmlGpuInstance_st*;
using nvmlGpmSample_t = struct nvmlGpmSample_st*;

enum : nvmlReturn_t {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NO_PERMISSION = 4,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
  NVML_ERROR_DRIVER_NOT_LOADED = 9,
  NVML_ERROR_LIBRARY_NOT_FOUND = 12,
  NVML_ERROR_FUNCTION_NOT_FOUND = 13,
  NVML_ERROR_GPU_IS_LOST = 15,
  NVML_ERROR_RESET_REQUIRED = 16,
  NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18,
  NVML_ERROR_ARGUMENT_VERSION_MISMATCH = 25,
};

constexpr unsigned kTextBytes = 96;  // the longest of NVML's name, UUID and version buffers
constexpr int kTemperatureOfGpu = 0;
constexpr int kTemperatureOfSlowdown = 1;
constexpr unsigned kDeviceMigEnabled = 1;
// Upper bound of the profile indices; an index that a GPU does not have answers NOT_SUPPORTED or INVALID_ARGUMENT.
constexpr unsigned kGpuInstanceProfiles = 32;
constexpr unsigned kGpuInstanceProfileGraphics = 0x2;
// Upper bound of the links of one GPU; a link that it does not have answers INVALID_ARGUMENT or NOT_SUPPORTED.
constexpr unsigned kNvLinks = 18;
constexpr int kNvLinkToGpu = 0, kNvLinkToSwitch = 2;
constexpr int kPeerRead = 0;
constexpr int kClockGraphics = 0, kClockSm = 1, kClockMemory = 2, kClockVideo = 3;
constexpr int kEccCorrected = 0, kEccUncorrected = 1, kEccVolatile = 0;
constexpr unsigned long long kNotAvailable = ~0ull;
constexpr unsigned kNoInstance = ~0u;
constexpr unsigned kGpmSmUtil = 2;

struct nvmlPciInfo_t {
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};

struct nvmlMemory_t {
  unsigned long long total, free, used;
};

struct nvmlUtilization_t {
  unsigned gpu, memory;
};

struct nvmlDeviceAttributes_t {
  unsigned multiprocessorCount, sharedCopyEngineCount, sharedDecoderCount, sharedEncoderCount, sharedJpegCount,
      sharedOfaCount, gpuInstanceSliceCount, computeInstanceSliceCount;
  unsigned long long memorySizeMB;
};

struct nvmlGpuInstanceInfo_t {
  nvmlDevice_t device;
  unsigned id, profileId;
  struct {
    unsigned start, size;
  } placement;
};

struct nvmlGpuInstanceProfileInfo_v3_t {
  unsigned version, id, sliceCount, instanceCount, multiprocessorCount, copyEngineCount, decoderCount, encoderCount,
      jpegCount, ofaCount;
  unsigned long long memorySizeMB;
  char name[96];
  unsigned capabilities;
};
constexpr unsigned kGpuInstanceProfileInfoVersion = sizeof(nvmlGpuInstanceProfileInfo_v3_t) | (3u << 24);
static_assert(sizeof(nvmlGpuInstanceProfileInfo_v3_t) == 152, "the version word carries NVML's own size");

// Of nvmlDeviceGet*RunningProcesses_v3.
struct nvmlProcessInfo_t {
  unsigned pid;
  unsigned long long usedGpuMemory;
  unsigned gpuInstanceId, computeInstanceId;
};
static_assert(sizeof(nvmlProcessInfo_t) == 24, "NVML fills an array of these");

struct nvmlGpmSupport_t {
  unsigned version, isSupportedDevice;
};
constexpr unsigned kGpmSupportVersion = 1;

struct nvmlGpmMetric_t {
  unsigned metricId;
  nvmlReturn_t nvmlReturn;
  double value;
  const char *shortName, *longName, *unit;
};

// NVML's own array is longer; it reads and writes the first `numMetrics` only.
struct nvmlGpmMetricsGet_t {
  unsigned version, numMetrics;
  nvmlGpmSample_t sample1, sample2;
  nvmlGpmMetric_t metrics[4];
};
constexpr unsigned kGpmMetricsVersion = 1;

}  // namespace seamscope::nvml
