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
// CU_DEVICE_P2P_ATTRIBUTE
constexpr int kPeerRank = 1, kPeerAtomics = 3, kPeerArrays = 4;
// What decides how memory and synchronisation can be shared, under CU_DEVICE_ATTRIBUTE's numbers.
constexpr Attribute kAttributes[] = {
    {"multiprocessorCount", 16},
    {"kernelExecTimeout", 17},
    {"integrated", 18},
    {"computeMode", 20},
    {"concurrentKernels", 31},
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
    {"gpuDirectRdma", 116},
    {"mempoolHandleTypes", 119},
    {"dmaBuf", 124},
    {"fabricHandle", 128},
};

// "" when the driver does not tell; `*error` is the call's answer.
std::string cuda_version(const Api& api, cuda::CUresult* error) {
  int version = 0;
  *error = api.cuDriverGetVersion(&version);
  if (*error != cuda::CUDA_SUCCESS || version <= 0) return "";
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string or_unknown(const std::string& text) {
  return text.empty() ? "version unknown" : text;
}

Reason init_reason(const Api& api, cuda::CUresult result, const EnvironmentFacts& environment) {
  const std::string text = last_driver_call() + (": " + cuda::result_text(api, result));
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
  return make_reason(ReasonCode::CudaInitFailed, {cuda::result_text(api, result)}, text);
}

// What the driver refused for one device; the rest of its facts stays valid.
class CudaProblems {
 public:
  CudaProblems(const Api& api, std::vector<Reason>& reasons) : api_(api), reasons_(reasons) {}

  // A question that this driver does not know is no problem, only unanswered. To be asked right after the call.
  bool ok(cuda::CUresult result, const std::string& subject) {
    if (result == cuda::CUDA_SUCCESS) return true;
    if (result == cuda::CUDA_ERROR_INVALID_VALUE || result == cuda::CUDA_ERROR_NOT_FOUND ||
        result == cuda::CUDA_ERROR_NOT_SUPPORTED)
      return false;
    reasons_.push_back(reason(result, subject));
    return false;
  }
  Reason reason(cuda::CUresult result, const std::string& subject) const {
    const std::string words = cuda::result_text(api_, result);
    return make_reason(ReasonCode::CudaCallFailed, {subject, words}, last_driver_call() + (": " + words));
  }

 private:
  const Api& api_;
  std::vector<Reason>& reasons_;
};

void read_uuid(const Api& api, cuda::CUdevice handle, const std::string& version, CudaDevice& device,
               CudaProblems& problems) {
  cuda::CUuuid uuid;
  if (problems.ok(api.cuDeviceGetUuid(&uuid, handle), "the legacy UUID"))
    device.legacy_uuid = uuid_from_bytes(uuid.bytes);
  if (!api.cuDeviceGetUuid_v2) {
    device.uuid_reason = make_reason(ReasonCode::CudaTooOldForUuidV2, {"CUDA " + or_unknown(version)});
    return;
  }
  const auto result = api.cuDeviceGetUuid_v2(&uuid, handle);
  if (result == cuda::CUDA_SUCCESS)
    device.uuid = uuid_from_bytes(uuid.bytes);
  else
    device.uuid_reason = problems.reason(result, "the UUID");
}

void read_attributes(const Api& api, cuda::CUdevice handle, CudaDevice& device, CudaProblems& problems) {
  int major = 0, minor = 0, value = 0;
  if (problems.ok(api.cuDeviceGetAttribute(&major, kComputeMajor, handle), "the compute capability") &&
      problems.ok(api.cuDeviceGetAttribute(&minor, kComputeMinor, handle), "the compute capability"))
    device.compute_capability = std::to_string(major) + "." + std::to_string(minor);
  for (const auto& attribute : kAttributes)
    if (problems.ok(api.cuDeviceGetAttribute(&value, attribute.number, handle), attribute.name))
      device.attributes[attribute.name] = value;
}

CudaPeer read_peer(const Api& api, cuda::CUdevice device, cuda::CUdevice other, int ordinal, CudaProblems& problems) {
  CudaPeer peer;
  peer.ordinal = ordinal;
  int value = 0;
  const std::string subject = "the access to CUDA device " + std::to_string(ordinal);
  if (problems.ok(api.cuDeviceCanAccessPeer(&value, device, other), subject)) peer.access = value != 0;
  if (!peer.access) return peer;
  const auto ask = [&](int attribute) {
    return problems.ok(api.cuDeviceGetP2PAttribute(&value, attribute, device, other), subject);
  };
  if (ask(kPeerRank)) peer.performance_rank = value;
  if (ask(kPeerAtomics)) peer.native_atomics = value != 0;
  if (ask(kPeerArrays)) peer.array_access = value != 0;
  return peer;
}

CudaDevice describe(const Api& api, int ordinal, int count, const std::string& version) {
  CudaDevice device;
  device.ordinal = ordinal;
  CudaProblems problems(api, device.problems);
  cuda::CUdevice handle = 0;
  if (const auto result = api.cuDeviceGet(&handle, ordinal); result != cuda::CUDA_SUCCESS) {
    device.uuid_reason = problems.reason(result, "CUDA device " + std::to_string(ordinal));
    return device;
  }
  char text[256] = "";
  if (problems.ok(api.cuDeviceGetName(text, sizeof text - 1, handle), "the name")) device.name = text;
  char pci[64] = "";
  if (problems.ok(api.cuDeviceGetPCIBusId(pci, sizeof pci - 1, handle), "the PCI address"))
    device.pci = normal_pci(pci);
  size_t bytes = 0;
  if (problems.ok(api.cuDeviceTotalMem(&bytes, handle), "the memory size")) device.memory_bytes = bytes;
  read_attributes(api, handle, device, problems);
  read_uuid(api, handle, version, device, problems);
  for (int other = 0; other < count; ++other) {
    cuda::CUdevice peer = 0;
    if (other != ordinal && problems.ok(api.cuDeviceGet(&peer, other), "CUDA device " + std::to_string(other)))
      device.peers.push_back(read_peer(api, handle, peer, other, problems));
  }
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
  inventory.library.passed_over = api->library.passed_over();
  cuda::CUresult version_error = cuda::CUDA_SUCCESS;
  facts.driver_version = cuda_version(*api, &version_error);

  int count = 0;
  auto result = api->cuInit(0);
  if (result == cuda::CUDA_SUCCESS) result = api->cuDeviceGetCount(&count);
  if (result == cuda::CUDA_SUCCESS && count == 0) result = cuda::CUDA_ERROR_NO_DEVICE;
  if (result != cuda::CUDA_SUCCESS) {
    facts.reason = init_reason(*api, result, environment);
    return inventory;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal)
    facts.devices.push_back(describe(*api, ordinal, count, facts.driver_version));
  if (version_error != cuda::CUDA_SUCCESS) {
    const std::string words = cuda::result_text(*api, version_error);
    facts.devices.front().problems.push_back(
        make_reason(ReasonCode::CudaCallFailed, {"the driver version", words}, "cuDriverGetVersion: " + words));
  }
  facts.available = true;
  return inventory;
}

}  // namespace seamscope
