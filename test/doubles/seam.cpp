// One job of the seam test without Node: the process that the native tests start. Arguments: the job's JSON, and
// the descriptor that events go to (stdout by default).

#include <cstdlib>

#include "refusals.hpp"
#include "seamtest/job.hpp"

int main(int count, char** arguments) {
  if (count < 2) return 2;
  const auto job = nlohmann::json::parse(arguments[1], nullptr, false);
  if (job.is_object() && job.value("kind", "") == "refusals") return doubles::refuse_every_call(job);
  return seamscope::seamtest::run_seam_process(arguments[1], count > 2 ? std::atoi(arguments[2]) : 1);
}
