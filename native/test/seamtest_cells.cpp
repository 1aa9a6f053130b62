// The matrix on lavapipe: with the host as the partner, and with the stand-in CUDA driver, which maps the memory for
// real.

#include <doctest/doctest.h>

#include "seamtest_process.hpp"

using namespace seamscope::test;
using nlohmann::json;

namespace {

void check_matrix(bool cuda, size_t runs) {
  const auto process = run_seam(matrix(6), cuda);
  if (!process) return;
  INFO(process->words);
  CHECK(process->exit_code == 0);
  CHECK(process->event("done").is_object());
  for (const auto& failed : process->events("failed")) FAIL_CHECK(failed.dump());
  const auto done = process->events("run");
  CHECK(done.size() == runs);
  for (const auto& run : done) {
    CAPTURE(run.dump());
    const json& result = run["result"];
    for (const char* zero : {"framesWrong", "hostCopies", "fdGrowth", "importsPerFrame", "exportsPerFrame", "fdsLeft"})
      CHECK(result[zero] == 0);
    CHECK(result["openHandles"].empty());
  }
  for (const auto& skipped : process->events("skipped")) CHECK(skipped["reason"].get<std::string>().size() > 20);
  CHECK(done.size() + process->events("skipped").size() == 128);
}

json small(const std::string& kind, const std::string& ownership = "exporter") {
  return {{"kind", kind},
          {"cell", {{"frames", 10}, {"warmup", 0}, {"width", 64}, {"height", 32}, {"ownership", ownership}}}};
}

}  // namespace

TEST_CASE("seam test: the matrix with the host as the partner") {
  check_matrix(false, 32);
}

TEST_CASE("seam test: the matrix with the stand-in CUDA driver, images included") {
  check_matrix(true, 48);
}

TEST_CASE("seam test: every control trips its counter") {
  for (const bool cuda : {false, true}) {
    const auto process = run_seam(small("controls"), cuda);
    if (!process) return;
    INFO(process->words);
    const auto controls = process->events("control");
    CHECK(controls.size() == 3);
    for (const auto& control : controls) {
      CAPTURE(control.dump());
      CHECK(control["result"]["tripped"] == true);
    }
    CHECK(process->exit_code == 0);
  }
}

TEST_CASE("seam test: each side's work alone, and stream synchronisation under imports") {
  const auto alone = run_seam(small("alone"), true);
  if (!alone) return;
  CHECK(alone->event("alone")["result"]["vulkanUs"] > 0);
  CHECK(alone->event("alone")["result"]["partnerUs"] > 0);
  const auto sync = run_seam(small("streamSync"), true);
  CHECK(sync->event("streamSync")["result"]["rows"].size() == 4);
  const auto host = run_seam(small("streamSync"), false);
  CHECK(host->event("streamSync")["result"].contains("skipped"));
  for (const auto& each : {*alone, *sync, *host}) CHECK(each.exit_code == 0);
}

TEST_CASE("seam test: an unusable job says why") {
  const auto unknown = run_seam({{"kind", "nonsense"}}, false);
  if (!unknown) return;
  CHECK(unknown->exit_code == 1);
  CHECK(unknown->event("error")["error"]["message"] == "There is no seam test job \"nonsense\".");
  json job = matrix(1);
  job["cells"] = {{{"id", 7}, {"slots", 33}}};
  const auto range = run_seam(job, false);
  CHECK(range->event("failed")["id"] == 7);
  CHECK(range->event("failed")["error"]["message"].get<std::string>().find("out of range") != std::string::npos);
}
