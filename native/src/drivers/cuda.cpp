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

std::string load_entry_points(Api& api) {
  const auto& library = api.library;
  library.load("cuGetErrorName", api.cuGetErrorName);
  library.load("cuDeviceGetUuid_v2", api.cuDeviceGetUuid_v2);
  if (!library.load("cuInit", api.cuInit)) return "cuInit";
  if (!library.load("cuDriverGetVersion", api.cuDriverGetVersion)) return "cuDriverGetVersion";
  if (!library.load("cuDeviceGetCount", api.cuDeviceGetCount)) return "cuDeviceGetCount";
  if (!library.load("cuDeviceGet", api.cuDeviceGet)) return "cuDeviceGet";
  if (!library.load("cuDeviceGetName", api.cuDeviceGetName)) return "cuDeviceGetName";
  if (!library.load("cuDeviceTotalMem_v2", api.cuDeviceTotalMem)) return "cuDeviceTotalMem_v2";
  if (!library.load("cuDeviceGetAttribute", api.cuDeviceGetAttribute)) return "cuDeviceGetAttribute";
  if (!library.load("cuDeviceGetPCIBusId", api.cuDeviceGetPCIBusId)) return "cuDeviceGetPCIBusId";
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
