#pragma once
// Writes the types of helper/protocol/device-readings.ts.

#include "devices/json_tools.hpp"
#include "devices/readings.hpp"

namespace seamscope {

Json json_of(const DeviceUse& use);
Json json_of(const GpuClocks& clocks);
Json json_of(const GpuProcess& process);
Json json_of(const MigReading& reading);
Json json_of(const GpuReading& reading);

// The protocol's words for NVML's bits.
Json clock_limit_names(uint64_t bits);

// DevicePoll without what the engine adds: version and time.
std::string to_json_text(const NvmlPoll& poll);

}  // namespace seamscope
