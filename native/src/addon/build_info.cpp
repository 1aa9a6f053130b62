#include "addon/build_info.hpp"

#include <features.h>
#include <vulkan/vulkan_core.h>

#include <nlohmann/json.hpp>

namespace seamscope {
namespace {

std::string number(unsigned value) {
  return std::to_string(value);
}

std::string target() {
#if defined(__x86_64__)
  return "linux-x64";
#elif defined(__aarch64__)
  return "linux-arm64";
#else
#error "unknown target"
#endif
}

}  // namespace

std::string build_info() {
  return target() + ", GCC " + __VERSION__ + ", glibc " + number(__GLIBC__) + "." + number(__GLIBC_MINOR__) +
         ", Vulkan headers " + number(VK_API_VERSION_MAJOR(VK_HEADER_VERSION_COMPLETE)) + "." +
         number(VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE)) + "." + number(VK_HEADER_VERSION) +
         ", nlohmann-json " + number(NLOHMANN_JSON_VERSION_MAJOR) + "." + number(NLOHMANN_JSON_VERSION_MINOR) + "." +
         number(NLOHMANN_JSON_VERSION_PATCH);
}

std::string build_id() {
  return
#include "build_id.inc"
      ;
}

}  // namespace seamscope
