// Every driver call of a run fails in turn: an error that names it, nothing left behind, no crash (the process runs
// under the sanitizers where this does).

#include <doctest/doctest.h>

#include <set>

#include "seamtest_process.hpp"

using namespace seamscope::test;
using nlohmann::json;

namespace {

json job(const std::string& ownership, const std::string& resource) {
  return {{"kind", "refusals"},
          {"cell",
           {{"frames", 2},
            {"warmup", 1},
            {"width", 64},
            {"height", 16},
            {"ownership", ownership},
            {"resource", resource}}}};
}

void check_line(const json& line) {
  CAPTURE(line.dump());
  const std::string call = line["call"], error = line["error"];
  // A refused release is not made, so what it would have released stays; its error has nobody to go to.
  if (line["mayKeep"] == true) return;
  CHECK(error.find(call) != std::string::npos);
  CHECK(line["openHandles"].empty());
  CHECK(line["fdsLeft"] == 0);
}

void check_refusals(const json& job, bool cuda, const std::set<std::string>& must_cover) {
  const auto process = run_seam(job, cuda);
  if (!process) return;
  INFO(process->words);
  CHECK(process->exit_code == 0);
  std::set<std::string> covered;
  for (const auto& line : process->lines) {
    REQUIRE(line.is_object());
    covered.insert(line["call"]);
    check_line(line);
  }
  for (const auto& call : must_cover) {
    CAPTURE(call);
    CHECK(covered.count(call) == 1);
  }
}

}  // namespace

TEST_CASE("refusals: Vulkan on both sides") {
  check_refusals(job("exporter", "buffer"), false,
                 {"vkAllocateMemory", "vkGetMemoryFdKHR", "vkMapMemory", "vkQueueSubmit", "vkWaitForFences"});
}

TEST_CASE("refusals: Vulkan exports an image, CUDA imports it") {
  check_refusals(job("exporter", "image"), true,
                 {"cuInit", "cuImportExternalMemory", "cuExternalMemoryGetMappedMipmappedArray", "cuSurfObjectCreate",
                  "cuLaunchKernel", "cuEventQuery", "cuDestroyExternalMemory", "vkCreateImage"});
}

TEST_CASE("refusals: CUDA allocates and exports, Vulkan imports") {
  check_refusals(job("inverted", "buffer"), true,
                 {"cuMemCreate", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess", "cuMemExportToShareableHandle",
                  "cuMemUnmap", "cuMemRelease", "vkAllocateMemory"});
}
