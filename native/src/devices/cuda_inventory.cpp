#include "devices/cuda_inventory.hpp"

#include "devices/pci.hpp"
#include "drivers/cuda.hpp"

namespace seamscope {
namespace {

using cuda::Api;

struct Attribute {
  const char* name;
  int number;
};
constexpr int kComputeMajor = 75, kComputeMinor = 76;
// What decides how memory and synchronisation can be shared, under CU_DEVICE_ATTRIBUTE's numbers.
constexpr Attribute kAttributes[] = {
    {"multiprocessorCount", 16},
    {"kernelExecTimeout", 17},
    {"integrated", 18},
    {"computeMode", 20},
    {"asyncEngineCount", 40},
    {"unifiedAddressing", 41},
    {"managedMemory", 83},
    {"hostNativeAtomic", 86},
    {"pageableMemoryAccess", 88},
    {"concurrentManagedAccess", 89},
    {"virtualMemoryManagement", 102},
    {"posixFileDescriptorHandle", 103},
    {"timelineSemaphoreInterop", 114},
    {"memoryPools", 115},
    {"mempoolHandleTypes", 119},
    {"dmaBuf", 124},
};

std::string cuda_version(const Api& api) {
  int version = 0;
  if (api.cuDriverGetVersion(&version) != cuda::CUDA_SUCCESS || version <= 0) return "";
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string or_unknown(const std::string& text) {
  return text.empty() ? "version unknown" : text;
}

Reason init_reason(const Api& api, cuda::CUresult result, const EnvironmentFacts& environment) {
  const std::string text = cuda::result_text(api, result);
  const std::string kernel = environment.kernel_driver_version, user = api.library.version();
  const bool differ = !kernel.empty() && user.find('.') != std::string::npos && kernel != user;
  switch (result) {
    case cuda::CUDA_ERROR_STUB_LIBRARY:
      return make_reason(ReasonCode::CudaStubLibrary, {api.library.path()}, text);
    case cuda::CUDA_ERROR_NO_DEVICE:
      return make_reason(ReasonCode::CudaNoDevice, {}, text);
    case cuda::CUDA_ERROR_SYSTEM_NOT_READY:
      return make_reason(ReasonCode::CudaSystemNotReady, {}, text);
    case cuda::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return make_reason(ReasonCode::CudaDriverMismatch, {or_unknown(kernel), or_unknown(user)}, text);
    case cuda::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return make_reason(ReasonCode::CudaCompatUnsupported, {api.library.path()}, text);
    default:
      break;
  }
  if (result >= cuda::CUDA_ERROR_MPS_CONNECTION_FAILED && result <= cuda::CUDA_ERROR_MPS_CLIENT_TERMINATED)
    return make_reason(ReasonCode::CudaMpsFailed, {}, text);
  // Older drivers answer a mismatch with CUDA_ERROR_UNKNOWN.
  if (result == cuda::CUDA_ERROR_UNKNOWN && differ)
    return make_reason(ReasonCode::CudaDriverMismatch, {kernel, user}, text);
  return make_reason(ReasonCode::CudaInitFailed, {text}, text);
}

void read_uuid(const Api& api, cuda::CUdevice handle, const std::string& version, CudaDevice& device) {
  if (!api.cuDeviceGetUuid_v2) {
    device.uuid_reason = make_reason(ReasonCode::CudaTooOldForUuidV2, {"CUDA " + or_unknown(version)});
    return;
  }
  cuda::CUuuid uuid;
  const auto result = api.cuDeviceGetUuid_v2(&uuid, handle);
  if (result == cuda::CUDA_SUCCESS) {
    device.uuid = uuid_from_bytes(uuid.bytes);
  } else {
    const std::string text = cuda::result_text(api, result);
    device.uuid_reason = make_reason(ReasonCode::CudaInitFailed, {text + " in cuDeviceGetUuid_v2"}, text);
  }
}

CudaDevice describe(const Api& api, int ordinal, const std::string& version) {
  CudaDevice device;
  device.ordinal = ordinal;
  cuda::CUdevice handle = 0;
  if (const auto result = api.cuDeviceGet(&handle, ordinal); result != cuda::CUDA_SUCCESS) {
    const std::string text = cuda::result_text(api, result);
    device.uuid_reason = make_reason(ReasonCode::CudaInitFailed, {text + " in cuDeviceGet"}, text);
    return device;
  }
  char text[256] = "";
  if (api.cuDeviceGetName(text, sizeof text - 1, handle) == cuda::CUDA_SUCCESS) device.name = text;
  char pci[64] = "";
  if (api.cuDeviceGetPCIBusId(pci, sizeof pci - 1, handle) == cuda::CUDA_SUCCESS) device.pci = normal_pci(pci);
  size_t bytes = 0;
  if (api.cuDeviceTotalMem(&bytes, handle) == cuda::CUDA_SUCCESS) device.memory_bytes = bytes;
  int major = 0, minor = 0, value = 0;
  api.cuDeviceGetAttribute(&major, kComputeMajor, handle);
  api.cuDeviceGetAttribute(&minor, kComputeMinor, handle);
  device.compute_capability = std::to_string(major) + "." + std::to_string(minor);
  for (const auto& attribute : kAttributes) {
    if (api.cuDeviceGetAttribute(&value, attribute.number, handle) == cuda::CUDA_SUCCESS)
      device.attributes[attribute.name] = value;
  }
  read_uuid(api, handle, version, device);
  return device;
}

}  // namespace

CudaInventory read_cuda(const EnvironmentFacts& environment) {
  CudaInventory inventory;
  CudaFacts& facts = inventory.facts;
  inventory.library.name = "libcuda.so.1";
  const auto api = cuda::load();
  if (!api) {
    inventory.library.error = api.error().damaged ? api.error().message : api.error().detail;
    facts.reason = library_reason(ReasonCode::CudaLibraryMissing, api.error());
    return inventory;
  }
  inventory.library.path = api->library.path();
  inventory.library.version = api->library.version();
  facts.driver_version = cuda_version(*api);

  int count = 0;
  auto result = api->cuInit(0);
  if (result == cuda::CUDA_SUCCESS) result = api->cuDeviceGetCount(&count);
  if (result == cuda::CUDA_SUCCESS && count == 0) result = cuda::CUDA_ERROR_NO_DEVICE;
  if (result != cuda::CUDA_SUCCESS) {
    facts.reason = init_reason(*api, result, environment);
    return inventory;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal)
    facts.devices.push_back(describe(*api, ordinal, facts.driver_version));
  facts.available = true;
  return inventory;
}

}  // namespace seamscope
