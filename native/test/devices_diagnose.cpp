#include <doctest/doctest.h>

#include "devices/diagnose.hpp"
#include "devices_facts.hpp"

using namespace seamscope;
using test::Facts;

namespace {

struct Case {
  const char* name;
  Facts facts;
  const char* expected;
};

std::string code_of(const std::optional<Reason>& reason) {
  return reason ? reason_name(reason->code) : "";
}

}  // namespace

TEST_CASE("CUDA's \"no device\" becomes what caused it") {
  const auto base = [] { return Facts().no_cuda(ReasonCode::CudaNoDevice); };
  const Case cases[] = {
      {"nothing known", base(), "cuda-no-device"},
      {"empty list", base().gpu(1).set("CUDA_VISIBLE_DEVICES", ""), "hidden-by-cuda-visible-devices"},
      {"first index too large", base().gpu(1).set("CUDA_VISIBLE_DEVICES", "4"), "hidden-by-cuda-visible-devices"},
      {"the list is good", base().gpu(1).set("CUDA_VISIBLE_DEVICES", "0"), "cuda-no-device"},
      {"device nodes", base().gpu(1).forbidden("/dev/nvidia0"), "device-node-no-permission"},
      {"MIG on, nothing in it", base().gpu(1).mig(), "mig-without-compute-instance"},
      {"MIG on, but another whole GPU", base().gpu(1).gpu(2).mig(), "cuda-no-device"},
      {"lost", base().gpu(1).problem(ReasonCode::GpuLost), "gpu-lost"},
      {"another error is left alone", Facts().no_cuda(ReasonCode::CudaMpsFailed).set("CUDA_VISIBLE_DEVICES", ""),
       "cuda-mps-failed"},
  };
  for (auto item : cases) {
    CAPTURE(item.name);
    sharpen_reasons(item.facts.get());
    CHECK(code_of(item.facts.get().cuda.reason) == item.expected);
  }
}

TEST_CASE("Vulkan's \"no driver\" becomes what caused it") {
  const auto base = [](ReasonCode code) { return Facts().no_vulkan(code); };
  const Case cases[] = {
      {"nothing known", base(ReasonCode::VulkanNoIcd), "vulkan-no-icd"},
      {"container", base(ReasonCode::VulkanNoIcd).container().set("NVIDIA_DRIVER_CAPABILITIES", "compute,utility"),
       "container-without-graphics"},
      {"container with graphics",
       base(ReasonCode::VulkanNoIcd).container().set("NVIDIA_DRIVER_CAPABILITIES", "graphics,compute"),
       "vulkan-no-icd"},
      {"the variable alone makes no container",
       base(ReasonCode::VulkanNoIcd).set("NVIDIA_DRIVER_CAPABILITIES", "compute"), "vulkan-no-icd"},
      {"filter names no manifest",
       base(ReasonCode::VulkanIcdRejected)
           .manifest("/gone.json", "", "unreadable")
           .set("VK_DRIVER_FILES", "/gone.json"),
       "hidden-by-loader-filter"},
      {"filter is empty: no file is looked at", base(ReasonCode::VulkanNoIcd).set("VK_DRIVER_FILES", ""),
       "hidden-by-loader-filter"},
      {"an empty list of names is no filter", base(ReasonCode::VulkanNoIcd).set("VK_LOADER_DRIVERS_SELECT", ""),
       "vulkan-no-icd"},
      {"filter names a driver that fails",
       base(ReasonCode::VulkanIcdRejected).manifest("/x.json", "libx.so", "refused").set("VK_DRIVER_FILES", "/x.json"),
       "vulkan-icd-rejected"},
      {"no loader", base(ReasonCode::VulkanLoaderMissing).set("VK_DRIVER_FILES", "/x.json"), "vulkan-loader-missing"},
  };
  for (auto item : cases) {
    CAPTURE(item.name);
    sharpen_reasons(item.facts.get());
    CHECK(code_of(item.facts.get().vulkan.reason) == item.expected);
  }
}

TEST_CASE("a driver that a variable took out was not refused") {
  const std::string words = "Driver \"x.json\" ignored because it was disabled by env var 'VK_LOADER_DRIVERS_DISABLE'";
  for (const bool only : {true, false}) {
    Facts facts;
    facts.no_vulkan(ReasonCode::VulkanIcdRejected).manifest("/x.json", "libx.so", words);
    facts.set("VK_LOADER_DRIVERS_DISABLE", "*");
    if (!only) facts.manifest("/y.json", "liby.so", "refused");
    facts.get().vulkan.reason->detail = words;
    sharpen_reasons(facts.get());
    CHECK(code_of(facts.get().vulkan.reason) == (only ? "hidden-by-loader-filter" : "vulkan-icd-rejected"));
  }
}

TEST_CASE("a Tegra without NVML is no fault") {
  Facts facts;
  facts.no_nvml(ReasonCode::NvmlLibraryMissing).tegra();
  sharpen_reasons(facts.get());
  CHECK(code_of(facts.get().nvml.reason) == "tegra");
}
