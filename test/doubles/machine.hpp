#pragma once
// The machine that the stand-ins pretend to be. They stand in for hardware: no GPU is touched. The JSON file that the
// environment variable SEAMSCOPE_DOUBLES names describes it; without one there is a driver and no GPU.
//
// {
//   "driver": "580.159.04", "cudaVersion": 13000,
//   "cuInit": 0, "nvmlInit": 0,                      error numbers to answer with
//   "privileged": true,                              false: calls that need root answer NO_PERMISSION
//   "gpus": [{
//     "name", "uuid", "pci", "memoryMiB", "usedMiB", "sms", "computeCapability": [9, 0], "architecture": 9,
//     "utilization", "temperature", "powerMilliwatts", "computeMode": 0, "graphicsMhz": 1980, "clockLimits": 4,
//     "ecc": {"enabled": true, "pending": true, "corrected": 0, "uncorrected": 0},       absent: not supported
//     "processes": [{"pid": 7, "kind": "compute", "memoryMiB": 512, "gi": 9, "ci": 0}],
//     "nvlinks": [1, 1, -1],                         to GPU 1 twice, once to a switch
//     "peers": [1],                                  the only GPUs whose memory this one may use; absent: all
//     "errors": {"nvmlDeviceGetTemperature": 4},     per-call error numbers of this GPU
//     "mig": {                                       absent: MIG is not supported
//       "current": true, "pending": true, "slots": 7,
//       "profiles": [{"id": 47, "name": "1g.24gb+gfx", "graphics": true, "memoryMiB", "sms", "instances": 4}],
//       "instances": [{"slot": 3, "uuid", "profile": "1g.24gb+gfx", "gi": 9, "ci": 0, "memoryMiB", "usedMiB", "sms",
//                      "start": 0, "size": 2, "use": 37.5}]
//     },
//     "vulkan": true                                 Vulkan's double lists the GPU (with MIG: its graphics instances)
//   }]
// }

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace doubles {

struct Profile {
  unsigned id, sms, instances;
  std::string name;
  bool graphics;
  uint64_t memory_mib;
};

struct Instance {
  unsigned slot, gpu_instance, compute_instance, sms;
  std::string uuid, profile;
  uint64_t memory_mib, used_mib;
  unsigned start, size;
  double use;
};

struct Process {
  unsigned pid, gpu_instance, compute_instance;
  std::string kind;
  uint64_t memory_mib;
};

struct Ecc {
  bool supported = false, enabled = false, pending = false;
  unsigned long long corrected = 0, uncorrected = 0;
};

struct Gpu {
  std::string name, uuid, pci;
  uint64_t memory_mib, used_mib;
  unsigned sms, major, minor, utilization, temperature, power_milliwatts;
  unsigned architecture, compute_mode, graphics_mhz;
  unsigned long long clock_limits;
  Ecc ecc;
  std::vector<Process> processes;
  std::vector<int> nvlinks;
  std::optional<std::vector<int>> peers;
  bool vulkan = false;
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

// Read at the first call. Handles are addresses in it.
const Machine& machine();

// Reads the file again when its text has changed, as a driver sees changes without a restart. Handles of before are
// invalid then, though never of memory that is gone.
void follow_changes();

// Sixteen bytes of "8-4-4-4-12" hex text.
void uuid_bytes(const std::string& text, char* bytes);

}  // namespace doubles
