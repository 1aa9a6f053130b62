#include "drivers/cuda.hpp"

namespace seamscope::cuda {
namespace {

// The linker's own search comes first; the rest are the places that WSL, NixOS and container images keep the driver in.
const std::vector<std::string>& candidates() {
  static const std::vector<std::string> names = {
      "libcuda.so.1",
      "/usr/lib/wsl/lib/libcuda.so.1",
      "/usr/local/nvidia/lib64/libcuda.so.1",
      "/run/opengl-driver/lib/libcuda.so.1",
      "libcuda.so",
  };
  return names;
}

// The first entry point that every driver has and this library lacks; "" for a driver.
std::string load_entry_points(Api& api) {
  const auto& library = api.library;
  library.load("cuGetErrorName", api.cuGetErrorName);
  api.cuDeviceGetUuid_v2.bind(library, "cuDeviceGetUuid_v2", CUDA_ERROR_NOT_FOUND);
  api.cuDeviceGetUuid.bind(library, "cuDeviceGetUuid", CUDA_ERROR_NOT_FOUND);
  api.cuDeviceCanAccessPeer.bind(library, "cuDeviceCanAccessPeer", CUDA_ERROR_NOT_FOUND);
  api.cuDeviceGetP2PAttribute.bind(library, "cuDeviceGetP2PAttribute", CUDA_ERROR_NOT_FOUND);
  const auto lacks = [&](auto& call, const char* symbol) { return !call.bind(library, symbol, CUDA_ERROR_NOT_FOUND); };
  if (lacks(api.cuInit, "cuInit")) return "cuInit";
  if (lacks(api.cuDriverGetVersion, "cuDriverGetVersion")) return "cuDriverGetVersion";
  if (lacks(api.cuDeviceGetCount, "cuDeviceGetCount")) return "cuDeviceGetCount";
  if (lacks(api.cuDeviceGet, "cuDeviceGet")) return "cuDeviceGet";
  if (lacks(api.cuDeviceGetName, "cuDeviceGetName")) return "cuDeviceGetName";
  if (lacks(api.cuDeviceTotalMem, "cuDeviceTotalMem_v2")) return "cuDeviceTotalMem_v2";
  if (lacks(api.cuDeviceGetAttribute, "cuDeviceGetAttribute")) return "cuDeviceGetAttribute";
  if (lacks(api.cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId")) return "cuDeviceGetPCIBusId";
  return "";
}

}  // namespace

Result<Api> load() {
  auto library = DynamicLibrary::open(candidates());
  if (!library) return library.error();
  library->keep_loaded();
  Api api;
  api.library = std::move(*library);
  if (const auto missing = load_entry_points(api); !missing.empty()) {
    return Error{api.library.path() + " is no CUDA driver: it has no " + missing + ".", "Reinstall the NVIDIA driver.",
                 "", true};
  }
  return Result<Api>(std::move(api));
}

std::string result_text(const Api& api, CUresult result) {
  const char* name = nullptr;
  if (api.cuGetErrorName) api.cuGetErrorName(result, &name);
  return std::string(name ? name : "CUDA error") + " (" + std::to_string(result) + ")";
}

}  // namespace seamscope::cuda
