#pragma once
// The C++ side of helper/protocol/device-readings.ts: the values of a GPU that change while one looks.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/uuid.hpp"
#include "devices/reason.hpp"

namespace seamscope {

// Why a value is absent although nothing is broken.
struct NotMeasured {
  const char* code = "";  // of the protocol's closed list
  std::string message;
};

// One of the two is set.
struct DeviceUse {
  std::optional<double> percent;
  std::optional<NotMeasured> missing;
};

struct GpuClocks {
  std::optional<unsigned> graphics_mhz, sm_mhz, memory_mhz, video_mhz;
};

enum ProcessKind : unsigned { kComputeProcess = 1, kGraphicsProcess = 2, kMpsProcess = 4 };

struct GpuProcess {
  unsigned pid = 0;
  unsigned kinds = 0;  // ProcessKind bits
  std::optional<uint64_t> memory_bytes;
  std::optional<unsigned> gpu_instance_id, compute_instance_id;
};

struct MigReading {
  unsigned index = 0, gpu_instance_id = 0, compute_instance_id = 0;
  std::optional<Uuid> uuid;
  std::optional<uint64_t> memory_bytes, memory_used_bytes;
  DeviceUse use;
};

struct GpuReading {
  unsigned index = 0;
  std::optional<Uuid> uuid;
  std::optional<uint64_t> memory_bytes, memory_used_bytes;
  DeviceUse use;
  std::optional<unsigned> memory_use_percent, temperature_c;
  std::optional<double> power_watts;
  GpuClocks clocks;
  std::optional<uint64_t> clock_limits;  // NVML's bits
  std::vector<GpuProcess> processes;
  std::vector<MigReading> instances;
  std::vector<Reason> problems;
};

struct NvmlPoll {
  bool available = false;
  std::optional<Reason> reason;
  std::vector<GpuReading> gpus;
  std::string generation;  // changes with the set of GPUs and instances
  double cpu_ms = 0, wall_ms = 0;
};

}  // namespace seamscope
