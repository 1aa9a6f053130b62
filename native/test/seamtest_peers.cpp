// Copies between CUDA devices, on two stand-ins.

#include <doctest/doctest.h>

#include "seamtest_process.hpp"

using namespace seamscope::test;
using nlohmann::json;

TEST_CASE("peers: a frame reaches every other device, without and with peer access") {
  const json job{{"kind", "peers"}, {"cell", {{"frames", 3}, {"warmup", 0}, {"width", 64}, {"height", 32}}}};
  const auto process = run_seam(job, true, 3);
  if (!process) return;
  INFO(process->words);
  CHECK(process->exit_code == 0);
  const json rows = process->event("peers")["result"]["rows"];
  REQUIRE(rows.size() == 2);
  for (const auto& row : rows) {
    CHECK(row["canAccess"] == true);
    CHECK(row["wordsWrong"] == 0);
    CHECK(row["bytes"] == 64 * 32 * 4);
    CHECK(row["directUs"].is_number());
  }
  CHECK(rows[0]["ordinal"] == 1);
}

TEST_CASE("peers: one device has nobody to copy to") {
  const json job{{"kind", "peers"}, {"cell", {{"frames", 3}, {"warmup", 0}, {"width", 64}, {"height", 32}}}};
  const auto process = run_seam(job, true);
  if (!process) return;
  CHECK(process->exit_code == 0);
  CHECK(process->event("peers")["result"]["rows"].empty());
}
