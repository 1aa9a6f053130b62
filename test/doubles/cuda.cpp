// libcuda.so.1 that stands in for hardware: answers the driver API's device questions from a description, see
// machine.hpp. Built once more without cuDeviceGetUuid_v2, as drivers before CUDA 11.4 are.

#include <cstring>
#include <map>

#include "faults.hpp"
#include "machine.hpp"
#include "visible.hpp"

using doubles::machine;
using doubles::Unit;

namespace {

constexpr int kSuccess = 0, kInvalidValue = 1, kNotInitialized = 3, kNoDevice = 100, kInvalidDevice = 101;
bool initialized = false;

const std::vector<Unit>& units() {
  static const std::vector<Unit> list = doubles::visible_units();
  return list;
}

const Unit* unit_at(int device) {
  return device >= 0 && static_cast<size_t>(device) < units().size() ? &units()[static_cast<size_t>(device)] : nullptr;
}

std::string name_of(const Unit& unit) {
  return unit.instance ? unit.gpu->name + " MIG " + unit.instance->profile : unit.gpu->name;
}

int check(const Unit* unit, const char* call) {
  if (const int error = doubles::fault(call)) return error;
  if (!initialized) return kNotInitialized;
  return unit ? unit->gpu->error(call) : kInvalidDevice;
}

void copy_text(const std::string& text, char* out, int length) {
  std::strncpy(out, text.c_str(), static_cast<size_t>(length) - 1);
  out[length - 1] = '\0';
}

const std::map<int, const char*>& error_names() {
  static const std::map<int, const char*> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},
      {3, "CUDA_ERROR_NOT_INITIALIZED"},
      {34, "CUDA_ERROR_STUB_LIBRARY"},
      {100, "CUDA_ERROR_NO_DEVICE"},
      {101, "CUDA_ERROR_INVALID_DEVICE"},
      {802, "CUDA_ERROR_SYSTEM_NOT_READY"},
      {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
      {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
      {805, "CUDA_ERROR_MPS_CONNECTION_FAILED"},
      {999, "CUDA_ERROR_UNKNOWN"},
  };
  return names;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int cuInit(unsigned) {
  if (const int error = doubles::fault("cuInit")) return error;
  if (machine().cu_init != kSuccess) return machine().cu_init;
  if (units().empty()) return kNoDevice;
  initialized = true;
  return kSuccess;
}

int cuDriverGetVersion(int* version) {
  if (const int error = doubles::fault("cuDriverGetVersion")) return error;
  *version = machine().cuda_version;
  return kSuccess;
}

int cuGetErrorName(int error, const char** name) {
  const auto found = error_names().find(error);
  *name = found == error_names().end() ? nullptr : found->second;
  return *name ? kSuccess : kInvalidValue;
}

int cuDeviceGetCount(int* count) {
  if (const int error = doubles::fault("cuDeviceGetCount")) return error;
  *count = static_cast<int>(units().size());
  return initialized ? kSuccess : kNotInitialized;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return check(unit_at(ordinal), "cuDeviceGet");
}

int cuDeviceGetName(char* name, int length, int device) {
  const auto* unit = unit_at(device);
  const int result = check(unit, "cuDeviceGetName");
  if (result == kSuccess) copy_text(name_of(*unit), name, length);
  return result;
}

int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  const auto* unit = unit_at(device);
  const int result = check(unit, "cuDeviceTotalMem_v2");
  if (result == kSuccess) *bytes = (unit->instance ? unit->instance->memory_mib : unit->gpu->memory_mib) << 20;
  return result;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const auto* unit = unit_at(device);
  const int result = check(unit, "cuDeviceGetAttribute");
  if (result != kSuccess) return result;
  const std::map<int, unsigned> values = {{16, unit->instance ? unit->instance->sms : unit->gpu->sms},
                                          {75, unit->gpu->major},
                                          {76, unit->gpu->minor},
                                          {20, unit->gpu->compute_mode},
                                          {41, 1},
                                          {102, 1},
                                          {103, 1},
                                          {114, 1},
                                          {115, 1},
                                          {119, 1}};
  const auto found = values.find(attribute);
  *value = found == values.end() ? 0 : static_cast<int>(found->second);
  return kSuccess;
}

int cuDeviceGetPCIBusId(char* text, int length, int device) {
  const auto* unit = unit_at(device);
  const int result = check(unit, "cuDeviceGetPCIBusId");
  if (result == kSuccess) copy_text(unit->gpu->pci.substr(4), text, length);
  return result;
}

// As on real drivers, every instance of a GPU gets the parent's UUID here.
int cuDeviceGetUuid(char* uuid, int device) {
  const auto* unit = unit_at(device);
  const int result = check(unit, "cuDeviceGetUuid");
  if (result == kSuccess) doubles::uuid_bytes(unit->gpu->uuid, uuid);
  return result;
}

// Every pair of devices reaches the other directly, but where the description names the `peers` of a GPU.
int cuDeviceCanAccessPeer(int* possible, int device, int other) {
  const auto *unit = unit_at(device), *peer = unit_at(other);
  const int result = check(unit, "cuDeviceCanAccessPeer");
  if (result != kSuccess || !peer) return result ? result : kInvalidDevice;
  *possible = device != other && (!unit->gpu->peers || unit->gpu == peer->gpu);
  for (const int index : unit->gpu->peers.value_or(std::vector<int>{}))
    *possible |= peer->gpu == &machine().gpus.at(static_cast<size_t>(index));
  return kSuccess;
}

int cuDeviceGetP2PAttribute(int* value, int attribute, int device, int) {
  const int result = check(unit_at(device), "cuDeviceGetP2PAttribute");
  *value = attribute == 1 ? 0 : 1;
  return result;
}

#ifndef WITHOUT_UUID_V2
int cuDeviceGetUuid_v2(char* uuid, int device) {
  const auto* unit = unit_at(device);
  const int result = check(unit, "cuDeviceGetUuid_v2");
  if (result == kSuccess) doubles::uuid_bytes(unit->instance ? unit->instance->uuid : unit->gpu->uuid, uuid);
  return result;
}
#endif

}  // extern "C"
#pragma GCC visibility pop
