#pragma once
// Runs one job of the seam test in a process of its own, on lavapipe, with the stand-in CUDA driver or without.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace seamscope::test {

struct SeamProcess {
  int exit_code = -1;
  std::vector<nlohmann::json> lines;
  std::string words;  // what it wrote to stderr

  // The first line whose "event" is this, or null.
  nlohmann::json event(const std::string& name) const;
  std::vector<nlohmann::json> events(const std::string& name) const;
};

// Nothing, with the reason printed, where there is no lavapipe or the stand-ins were not built. `job` lacks its device,
// the first of `gpus`.
std::optional<SeamProcess> run_seam(nlohmann::json job, bool cuda, size_t gpus = 1);

// Every cell of the matrix that lavapipe can run and some that it cannot, small.
nlohmann::json matrix(uint32_t frames);

}  // namespace seamscope::test
