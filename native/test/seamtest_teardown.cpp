// Orders of teardown: what the ledger predicts, and what lavapipe and the stand-in driver do.

#include <doctest/doctest.h>

#include <cstdio>

#include "seamtest_process.hpp"

using namespace seamscope::test;
using nlohmann::json;

namespace {

json job(const std::string& order, const std::string& ownership) {
  return {{"kind", "teardown"},
          {"order", order},
          {"validation", true},
          {"cell", {{"frames", 4}, {"warmup", 0}, {"width", 64}, {"height", 32}, {"ownership", ownership}}}};
}

}  // namespace

TEST_CASE("teardown: the documented order is clean and predicted to be") {
  for (const bool cuda : {false, true}) {
    for (const char* ownership : {"exporter", "inverted"}) {
      CAPTURE(cuda);
      CAPTURE(ownership);
      const auto process = run_seam(job("documented", ownership), cuda);
      if (!process) return;
      INFO(process->words);
      CHECK(process->exit_code == 0);
      CHECK(process->event("predicted")["violations"].empty());
      const auto result = process->event("teardown");
      CHECK(result["violations"].empty());
      CHECK(result["openHandles"].empty());
      CHECK(result["validation"].empty());
    }
  }
}

TEST_CASE("teardown: the owner's freeing first is caught every time, by prediction and when it happens") {
  struct Case {
    bool cuda;
    const char *ownership, *released, *used_by;
  };
  constexpr Case kCases[] = {
      {true, "exporter", "Vulkan: memory of slot 0", "CUDA: import of slot 0"},
      {true, "inverted", "CUDA: allocation of slot 0", "Vulkan: import of slot 0"},
      {false, "exporter", "Vulkan: memory of slot 0", "host: import of slot 0"},
      {false, "inverted", "host: memory of slot 0", "Vulkan: import of slot 0"},
  };
  for (const auto& item : kCases) {
    CAPTURE(item.cuda);
    CAPTURE(item.ownership);
    for (int i = 0; i < 3; ++i) {
      const auto process = run_seam(job("ownerFirst", item.ownership), item.cuda);
      if (!process) return;
      INFO(process->words);
      const json predicted = process->event("predicted")["violations"];
      REQUIRE(predicted.size() == 1);
      CHECK(predicted[0]["released"] == item.released);
      CHECK(predicted[0]["usedBy"] == json{item.used_by});
      const auto result = process->event("teardown");
      CHECK(result["violations"] == predicted);
      // lavapipe and the stand-in map the file twice: the memory outlives its owner.
      CHECK(result["use"] == "the memory still held the right frame: the driver counts references");
      CHECK(process->exit_code == 0);
    }
  }
}

TEST_CASE("teardown: a device destroyed before its children is predicted") {
  const auto process = run_seam(job("deviceFirst", "exporter"), false);
  if (!process) return;
  CHECK(process->event("predicted")["violations"][0]["released"] == "Vulkan: device");
  if (process->event("validating").is_null()) {
    std::puts("SKIPPED: the Khronos validation layer is not installed");
    return;
  }
  const auto messages = process->event("teardown")["validation"];
  REQUIRE_FALSE(messages.empty());
  CHECK(messages[0].get<std::string>().find("VUID-vkDestroyDevice-device") != std::string::npos);
}
