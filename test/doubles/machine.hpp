#pragma once
// The machine that the stand-ins pretend to be. They stand in for hardware: no GPU is touched. The JSON file that the
// environment variable SEAMSCOPE_DOUBLES names describes it; without one there is a driver and no GPU.
//
// {
//   "driver": "580.159.04", "cudaVersion": 13000,
//   "cuInit": 0, "nvmlInit": 0,                      error numbers to answer with
//   "privileged": true,                              false: calls that need root answer NO_PERMISSION
//   "gpus": [{
//     "name", "uuid", "pci", "memoryMiB", "usedMiB", "sms", "computeCapability": [9, 0],
//     "utilization", "temperature", "powerMilliwatts",
//     "errors": {"nvmlDeviceGetTemperature": 4},     per-call error numbers of this GPU
//     "mig": {                                       absent: MIG is not supported
//       "current": true, "pending": true, "slots": 7,
//       "profiles": [{"id": 47, "name": "1g.24gb+gfx", "graphics": true}],
//       "instances": [{"slot": 3, "uuid", "profile": "1g.24gb+gfx", "gi": 9, "ci": 0, "memoryMiB", "usedMiB", "sms"}]
//     }
//   }]
// }

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace doubles {

struct Profile {
  unsigned id;
  std::string name;
  bool graphics;
};

struct Instance {
  unsigned slot, gpu_instance, compute_instance, sms;
  std::string uuid, profile;
  uint64_t memory_mib, used_mib;
};

struct Gpu {
  std::string name, uuid, pci;
  uint64_t memory_mib, used_mib;
  unsigned sms, major, minor, utilization, temperature, power_milliwatts;
  std::map<std::string, int> errors;
  bool mig_supported = false, mig_current = false, mig_pending = false;
  unsigned slots = 0;
  std::vector<Profile> profiles;
  std::vector<Instance> instances;

  int error(const char* call) const {
    const auto found = errors.find(call);
    return found == errors.end() ? 0 : found->second;
  }
};

struct Machine {
  std::string driver;
  int cuda_version, cu_init, nvml_init;
  bool privileged;
  std::vector<Gpu> gpus;

  int driver_major() const;
};

// Read once a process.
const Machine& machine();

// Sixteen bytes of "8-4-4-4-12" hex text.
void uuid_bytes(const std::string& text, char* bytes);

}  // namespace doubles
