// A recording whose folder goes, and one whose program is started again.

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "preview/recorder.hpp"
#include "session_source.hpp"

using namespace seamscope;
using namespace seamscope::test;

namespace {

void record(Recorder& recorder, const FrameDesc& desc, const std::shared_ptr<const Frame>& frame,
            const char* output = "color") {
  recorder.add({frame, *frame->host_bytes(0), desc, output});
}

bool ends(const Recorder& recorder) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (recorder.state().running && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return !recorder.state().running;
}

}  // namespace

TEST_CASE("a recording that has failed lets go of frames") {
  const auto folder = std::filesystem::temp_directory_path() / ("seamscope-failed-" + std::to_string(::getpid()));
  PatternCounts counts;
  PatternSource source(counts);
  const FrameDesc desc = source.outputs()[0].desc;
  const uint32_t wanted[] = {0};
  const auto frame = *source.render(0, wanted);
  const auto recorder = *Recorder::start({folder.string(), "npy", 1000});
  std::filesystem::remove_all(folder);  // as when the disk is full: no file can be made
  record(*recorder, desc, frame);
  REQUIRE(ends(*recorder));
  for (int i = 0; i < 20; ++i) record(*recorder, desc, frame);
  const RecordingState state = recorder->stop();
  REQUIRE(state.problem);
  CHECK(state.written == 0);
  CHECK(state.dropped == 0);
  CHECK(frame.use_count() == 1);
}

TEST_CASE("a program that is started again replaces no recorded file") {
  const auto folder = std::filesystem::temp_directory_path() / ("seamscope-again-" + std::to_string(::getpid()));
  PatternCounts counts;
  PatternSource source(counts);
  const FrameDesc desc = source.outputs()[0].desc;
  const uint32_t wanted[] = {0};
  const auto recorder = *Recorder::start({folder.string(), "npy", 1000});
  for (const uint64_t number : {5, 6, 5, 6}) record(*recorder, desc, *source.render(number, wanted));
  record(*recorder, desc, *source.render(1, wanted), "other output");
  CHECK(recorder->stop().written == 5);
  for (const char* name :
       {"color.000005.npy", "color.000006.npy", "color-2.000005.npy", "color-2.000006.npy", "other_output.000001.npy"})
    CHECK(std::filesystem::exists(folder / name));
  std::filesystem::remove_all(folder);
}
