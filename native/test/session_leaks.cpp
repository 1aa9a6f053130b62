// Opening and closing leaves nothing behind.

#include <dirent.h>
#include <doctest/doctest.h>

#include "preview/session.hpp"
#include "session_source.hpp"

using namespace seamscope;
using namespace seamscope::test;

namespace {

int entries(const char* folder) {
  DIR* directory = opendir(folder);
  REQUIRE(directory != nullptr);
  int count = 0;
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

void open_and_close(int round) {
  PatternCounts counts;
  Session session(std::make_unique<PatternSource>(counts));
  const auto sink = std::make_shared<WaitingSink>();
  REQUIRE(session.open_view(1, pattern_view(), sink));
  session.credit(1, 2);
  if (round % 3 != 0) REQUIRE(sink->wait_for_pictures(1));
  if (round % 2 == 0) session.close_view(1);
}

}  // namespace

TEST_CASE("200 sessions leave no descriptor and no thread") {
  open_and_close(1);
  const int fds = entries("/proc/self/fd"), threads = entries("/proc/self/task");
  for (int round = 0; round < 200; ++round) open_and_close(round);
  CHECK(entries("/proc/self/fd") == fds);
  CHECK(entries("/proc/self/task") == threads);
}
