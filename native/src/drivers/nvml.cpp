#include "drivers/nvml.hpp"

namespace seamscope::nvml {
namespace {

const std::vector<std::string>& candidates() {
  static const std::vector<std::string> names = {
      "libnvidia-ml.so.1",
      "/usr/lib/wsl/lib/libnvidia-ml.so.1",
      "/usr/local/nvidia/lib64/libnvidia-ml.so.1",
      "/run/opengl-driver/lib/libnvidia-ml.so.1",
  };
  return names;
}

void bind_all(Api& api) {
  const auto& library = api.library;
  library.load("nvmlErrorString", api.error_string);
#define SEAMSCOPE_NVML_BIND(name, symbol, parameters) api.name.bind(library, symbol, NVML_ERROR_FUNCTION_NOT_FOUND);
  SEAMSCOPE_NVML(SEAMSCOPE_NVML_BIND)
#undef SEAMSCOPE_NVML_BIND
}

}  // namespace

Result<Api> load() {
  auto library = DynamicLibrary::open(candidates());
  if (!library) return library.error();
  Api api;
  api.library = std::move(*library);
  bind_all(api);
  for (const char* symbol : {"nvmlInit_v2", "nvmlShutdown", "nvmlDeviceGetCount_v2"})
    if (!api.library.find(symbol))
      return Error{api.library.path() + " is no NVML: it has no " + symbol + ".", "Reinstall the NVIDIA driver.", "",
                   true};
  return Result<Api>(std::move(api));
}

std::string result_text(const Api& api, nvmlReturn_t result) {
  const char* text = api.error_string ? api.error_string(result) : nullptr;
  return std::string(text ? text : "NVML error") + " (" + std::to_string(result) + ")";
}

Session::Session(Api& api, nvmlReturn_t* code) : api_(api) {
  *code = api_.init();
  open_ = *code == NVML_SUCCESS;
  if (open_) api.library.keep_loaded();
}

Session::~Session() {
  if (open_) api_.shutdown();
}

}  // namespace seamscope::nvml
