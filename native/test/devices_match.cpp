// The match as a table: facts in, rows out. A row reads "cuda0 vulkan1 gpu0/mig2 status: reasons".

#include <doctest/doctest.h>

#include "devices/match.hpp"
#include "devices_facts.hpp"

using namespace seamscope;
using test::Facts;

namespace {

std::string row_text(const DeviceMatch& row) {
  constexpr const char* kStatus[] = {"matched", "cuda-only", "vulkan-only", "physical-only"};
  std::string text;
  if (row.cuda_ordinal) text += "cuda" + std::to_string(*row.cuda_ordinal) + " ";
  if (row.vulkan_index) text += "vulkan" + std::to_string(*row.vulkan_index) + " ";
  if (row.gpu_index) text += "gpu" + std::to_string(*row.gpu_index);
  if (row.mig_index) text += "/mig" + std::to_string(*row.mig_index);
  if (row.gpu_index) text += " ";
  text += kStatus[static_cast<int>(row.status)];
  for (const auto& reason : row.reasons) text += std::string(" ") + reason_name(reason.code);
  return text;
}

struct Case {
  const char* name;
  Facts facts;
  std::vector<std::string> rows;
};

void check(const std::vector<Case>& cases) {
  for (const auto& item : cases) {
    CAPTURE(item.name);
    const auto matches = match_devices(item.facts.get());
    REQUIRE(matches.size() == item.rows.size());
    for (size_t i = 0; i < matches.size(); ++i) {
      CHECK(row_text(matches[i]) == item.rows[i]);
      CHECK(matches[i].reasons.empty() == (matches[i].status == MatchStatus::Matched));
    }
  }
}

}  // namespace

TEST_CASE("match: devices that belong together") {
  check({
      {"nothing at all", Facts(), {}},
      {"one GPU", Facts().cuda(1).vulkan(1).gpu(1), {"cuda0 vulkan0 gpu0 matched"}},
      {"orders differ",
       Facts().cuda(2).cuda(1).vulkan(1).vulkan(2).gpu(1).gpu(2),
       {"cuda0 vulkan1 gpu1 matched", "cuda1 vulkan0 gpu0 matched"}},
      {"without NVML", Facts().cuda(1).vulkan(1).no_nvml(ReasonCode::NvmlLibraryMissing), {"cuda0 vulkan0 matched"}},
      {"two manifests list one GPU twice",
       Facts().cuda(1).vulkan(1).vulkan(1).gpu(1),
       {"cuda0 vulkan0 gpu0 matched", "cuda0 vulkan1 gpu0 matched"}},
      {"MIG with graphics, holes kept",
       Facts().cuda(12).cuda(15).vulkan(15).vulkan(12).gpu(1).mig().instance(12, 2, true).instance(15, 5, true),
       {"cuda0 vulkan1 gpu0/mig2 matched", "cuda1 vulkan0 gpu0/mig5 matched"}},
  });
}

TEST_CASE("match: no CUDA partner") {
  const std::string both = "gpu0 physical-only ";
  check({
      {"CPU driver",
       Facts().vulkan(1, "llvmpipe").no_cuda(ReasonCode::CudaLibraryMissing),
       {"vulkan0 vulkan-only cpu-driver"}},
      {"CPU driver with the very UUID of a CUDA device",
       Facts().cuda(1).vulkan(1, "llvmpipe"),
       {"cuda0 cuda-only vulkan-no-icd", "vulkan0 vulkan-only cpu-driver"}},
      {"another vendor",
       Facts().cuda(1).vulkan(1).vulkan(9, "radv"),
       {"cuda0 vulkan0 matched", "vulkan1 vulkan-only not-nvidia"}},
      {"NVK beside CUDA",
       Facts().cuda(1).vulkan(9, "nvk", "0000:01:00.0").gpu(1, "0000:01:00.0"),
       {"cuda0 gpu0 cuda-only vulkan-no-icd", "vulkan0 vulkan-only other-driver-same-gpu"}},
      {"cuInit failed",
       Facts().vulkan(1).gpu(1).no_cuda(ReasonCode::CudaSystemNotReady),
       {"vulkan0 gpu0 vulkan-only cuda-system-not-ready"}},
      {"hidden by the variable",
       Facts().cuda(1).vulkan(1).vulkan(2).gpu(1).gpu(2).set("CUDA_VISIBLE_DEVICES", "0"),
       {"cuda0 vulkan0 gpu0 matched", "vulkan1 gpu1 vulkan-only hidden-by-cuda-visible-devices"}},
      {"named by the variable, absent all the same",
       Facts().cuda(1).vulkan(1).vulkan(2).gpu(1).gpu(2).set(
           "CUDA_VISIBLE_DEVICES", "GPU-" + uuid_text(test::uuid_of(1)) + ",GPU-" + uuid_text(test::uuid_of(2))),
       {"cuda0 vulkan0 gpu0 matched", "vulkan1 gpu1 vulkan-only no-partner"}},
      {"named after an invalid entry",
       Facts().cuda(1).vulkan(1).vulkan(2).gpu(1).gpu(2).set("CUDA_VISIBLE_DEVICES",
                                                             "0,9,GPU-" + uuid_text(test::uuid_of(2))),
       {"cuda0 vulkan0 gpu0 matched", "vulkan1 gpu1 vulkan-only hidden-by-cuda-visible-devices"}},
      {"driver before CUDA 11.4",
       Facts().cuda_without_uuid().vulkan(1).gpu(1),
       {"cuda0 cuda-only cuda-too-old-for-uuid-v2", "vulkan0 gpu0 vulkan-only cuda-too-old-for-uuid-v2"}},
      {"GPU lost",
       Facts().cuda(1).vulkan(1).gpu(1).gpu(2).problem(ReasonCode::GpuLost),
       {"cuda0 vulkan0 gpu0 matched", "gpu1 physical-only gpu-lost"}},
      {"nothing explains it",
       Facts().cuda(1).vulkan(1).vulkan(2),
       {"cuda0 vulkan0 matched", "vulkan1 vulkan-only no-partner"}},
      {"device node",
       Facts().cuda(1).vulkan(1).vulkan(2).forbidden("/dev/nvidia1"),
       {"cuda0 vulkan0 matched", "vulkan1 vulkan-only device-node-no-permission"}},
      {"physical only",
       Facts().gpu(1).no_cuda(ReasonCode::CudaDriverMismatch).no_vulkan(ReasonCode::VulkanNoIcd),
       {both + "cuda-driver-mismatch vulkan-no-icd"}},
      {"no permission for a GPU's handle",
       Facts().gpu(1).denied().no_cuda(ReasonCode::CudaNoDevice).no_vulkan(ReasonCode::VulkanNoIcd),
       {both + "nvml-no-permission"}},
  });
}

TEST_CASE("match: no Vulkan partner") {
  const char* kNvidia = "/usr/share/vulkan/icd.d/nvidia_icd.json";
  check({
      {"no loader",
       Facts().cuda(1).gpu(1).no_vulkan(ReasonCode::VulkanLoaderMissing),
       {"cuda0 gpu0 cuda-only vulkan-loader-missing"}},
      {"only a CPU driver, no NVIDIA manifest",
       Facts().cuda(1).vulkan(9, "llvmpipe").manifest("/usr/share/vulkan/icd.d/lvp.json", "liblvp.so"),
       {"cuda0 cuda-only vulkan-no-icd", "vulkan0 vulkan-only cpu-driver"}},
      {"NVIDIA manifest refused",
       Facts().cuda(1).vulkan(9, "llvmpipe").manifest(kNvidia, "libGLX_nvidia.so.0", "libXext.so.6: cannot open"),
       {"cuda0 cuda-only vulkan-icd-rejected", "vulkan0 vulkan-only cpu-driver"}},
      {"container without graphics",
       Facts().cuda(1).vulkan(9, "llvmpipe").container().set("NVIDIA_DRIVER_CAPABILITIES", "compute,utility"),
       {"cuda0 cuda-only container-without-graphics", "vulkan0 vulkan-only cpu-driver"}},
      {"container with the runtime's default",
       Facts().cuda(1).vulkan(9, "llvmpipe").container().set("NVIDIA_VISIBLE_DEVICES", "all"),
       {"cuda0 cuda-only container-without-graphics", "vulkan0 vulkan-only cpu-driver"}},
      {"container with everything, no manifest",
       Facts().cuda(1).vulkan(9, "llvmpipe").container().set("NVIDIA_DRIVER_CAPABILITIES", "all"),
       {"cuda0 cuda-only vulkan-no-icd", "vulkan0 vulkan-only cpu-driver"}},
      {"driver filter",
       Facts().cuda(1).vulkan(9, "llvmpipe").set("VK_DRIVER_FILES", "/usr/share/vulkan/icd.d/lvp.json"),
       {"cuda0 cuda-only hidden-by-loader-filter", "vulkan0 vulkan-only cpu-driver"}},
      {"device filter",
       Facts().cuda(1).cuda(2).vulkan(1).set("VK_LOADER_DEVICE_SELECT", "0x10de:0x1234"),
       {"cuda0 vulkan0 matched", "cuda1 cuda-only hidden-by-loader-filter"}},
      {"WSL", Facts().cuda(1).vulkan(9, "llvmpipe").wsl(), {"cuda0 cuda-only wsl", "vulkan0 vulkan-only cpu-driver"}},
      {"NVK owns the GPU",
       Facts().gpu(1, "0000:01:00.0").vulkan(9, "nvk", "0000:01:00.0").no_cuda(ReasonCode::CudaInitFailed),
       {"vulkan0 vulkan-only other-driver-same-gpu", "gpu0 physical-only cuda-init-failed other-driver-same-gpu"}},
      {"nothing explains it",
       Facts().cuda(1).cuda(2).vulkan(1),
       {"cuda0 vulkan0 matched", "cuda1 cuda-only no-partner"}},
  });
}

TEST_CASE("match: MIG") {
  check({
      {"instances without graphics",
       Facts()
           .cuda(11)
           .cuda(13)
           .gpu(1)
           .mig()
           .instance(11, 0, false)
           .instance(13, 3, false)
           .no_vulkan(ReasonCode::VulkanEnumerationFailed),
       {"cuda0 gpu0/mig0 cuda-only mig-without-graphics", "cuda1 gpu0/mig3 cuda-only mig-without-graphics"}},
      {"graphics unknown: the general reason",
       Facts().cuda(11).gpu(1).mig().instance(11, 0, std::nullopt).no_vulkan(ReasonCode::VulkanNoIcd),
       {"cuda0 gpu0/mig0 cuda-only vulkan-no-icd"}},
      {"mode on, no instance",
       Facts().gpu(1).mig().no_cuda(ReasonCode::CudaNoDevice).no_vulkan(ReasonCode::VulkanNoIcd),
       {"gpu0 physical-only mig-without-compute-instance"}},
      {"one instance before R570",
       Facts().cuda(11).gpu(1).mig().instance(11, 0, false).instance(12, 1, false).driver("535.183.01"),
       {"cuda0 gpu0/mig0 cuda-only mig-without-graphics",
        "gpu0/mig1 physical-only mig-one-instance-limit mig-without-graphics"}},
      {"two from R570 on: the limit does not apply",
       Facts().cuda(11).gpu(1).mig().instance(11, 0, false).instance(12, 1, false).driver("580.159.04"),
       {"cuda0 gpu0/mig0 cuda-only mig-without-graphics", "gpu0/mig1 physical-only no-partner mig-without-graphics"}},
      {"Vulkan lists the parent",
       Facts().cuda(11).vulkan(1).gpu(1).mig().instance(11, 0, false),
       {"cuda0 gpu0/mig0 cuda-only mig-without-graphics", "vulkan0 gpu0 vulkan-only no-partner"}},
      {"hidden sibling",
       Facts()
           .cuda(11)
           .gpu(1)
           .mig()
           .instance(11, 0, true)
           .instance(12, 1, true)
           .vulkan(11)
           .vulkan(12)
           .set("CUDA_VISIBLE_DEVICES", "MIG-" + uuid_text(test::uuid_of(11))),
       {"cuda0 vulkan0 gpu0/mig0 matched", "vulkan1 gpu0/mig1 vulkan-only hidden-by-cuda-visible-devices"}},
  });
}
