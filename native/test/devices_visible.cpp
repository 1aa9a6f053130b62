#include <doctest/doctest.h>

#include "devices/visible_devices.hpp"

using namespace seamscope;

namespace {

constexpr const char* kGpuA = "aaaaaaaa-0000-0000-0000-000000000001";
constexpr const char* kMigB = "bbbbbbbb-0000-0000-0000-000000000002";

NvmlFacts two_gpus() {
  NvmlFacts nvml;
  nvml.available = true;
  nvml.gpus.resize(2);
  nvml.gpus[0].uuid = parse_uuid(kGpuA);
  nvml.gpus[1].uuid = parse_uuid("cccccccc-0000-0000-0000-000000000003");
  nvml.gpus[1].mig_current = true;
  nvml.gpus[1].instances.resize(1);
  nvml.gpus[1].instances[0].nvml_uuid = std::string("MIG-") + kMigB;
  return nvml;
}

}  // namespace

TEST_CASE("CUDA_VISIBLE_DEVICES: where CUDA stops reading") {
  struct Case {
    std::string value;
    const char* stop;       // "" = reads all of it
    bool hides_everything;  // no device is left
  };
  const Case cases[] = {
      {"", "", true},
      {"0", "", false},
      {"0,1", "", false},
      {" 1 , 0 ", "", false},
      {"-1", "-1", true},
      {"0,-1,1", "-1", false},
      {"2", "2", true},
      {"0,9,1", "9", false},
      {"none", "none", true},
      {"0,1x", "1x", false},
      {"GPU-aaaaaaaa", "", false},
      {std::string("GPU-") + kGpuA, "", false},
      {"GPU-dddddddd,0", "GPU-dddddddd", true},
      {"GPU-", "GPU-", true},
      {std::string("MIG-") + kMigB, "", false},
      {"MIG-bbbbbbbb", "MIG-bbbbbbbb", true},  // an instance needs its whole UUID
  };
  const auto nvml = two_gpus();
  for (const auto& item : cases) {
    CAPTURE(item.value);
    const auto stop = first_stop(parse_visible_devices(item.value), nvml);
    CHECK((stop ? stop->text : "") == std::string(item.stop));
    CHECK(hides_everything(item.value, nvml) == item.hides_everything);
  }
}

TEST_CASE("without NVML only malformed entries are told") {
  const NvmlFacts nvml;
  CHECK_FALSE(first_stop(parse_visible_devices("7,GPU-dddddddd"), nvml));
  CHECK(first_stop(parse_visible_devices("7,what"), nvml)->text == "what");
}

TEST_CASE("why a device is hidden, in words") {
  const auto nvml = two_gpus();
  CHECK(why_hidden("", nvml) == "the list is empty");
  CHECK(why_hidden("0", nvml) == "it is not in the list");
  CHECK(why_hidden("0,-1,1", nvml) == "CUDA stops reading the list at -1");
  CHECK(why_hidden("9,0", nvml) == "entry \"9\" is invalid, and CUDA ignores it and every entry after it");
}
