// A recording whose folder goes, and one whose program is started again.

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
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

TEST_CASE("a recording into a folder that has one already goes beside it") {
  const auto folder = std::filesystem::temp_directory_path() / ("seamscope-beside-" + std::to_string(::getpid()));
  PatternCounts counts;
  PatternSource source(counts);
  const FrameDesc desc = source.outputs()[0].desc;
  const uint32_t wanted[] = {0};
  const auto record_one = [&](const char* format) {
    const auto recorder = *Recorder::start({folder.string(), format, 1000});
    record(*recorder, desc, *source.render(7, wanted));
    return std::filesystem::relative(recorder->stop().folder, folder).string();
  };
  CHECK(record_one("npy") == ".");
  CHECK(record_one("npy") == "recording-2");
  CHECK(record_one("npy") == "recording-3");
  CHECK(record_one("png") == ".");
  for (const char* name : {"color.000007.npy", "recording-2/color.000007.npy", "recording-3/color.000007.npy"})
    CHECK(std::filesystem::exists(folder / name));
  std::filesystem::remove_all(folder);
}

TEST_CASE("a file that cannot be written to its end stops the recording and is not left behind") {
  const auto folder = std::filesystem::temp_directory_path() / ("seamscope-full-" + std::to_string(::getpid()));
  PatternCounts counts;
  PatternSource source(counts);
  const FrameDesc desc = source.outputs()[0].desc;
  const uint32_t wanted[] = {0};
  const auto recorder = *Recorder::start({folder.string(), "npy", 1000});
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{64, before.rlim_max};  // bytes: the kernel's write fails in the middle of the first frame
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  record(*recorder, desc, *source.render(7, wanted));
  const bool ended = ends(*recorder);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  REQUIRE(ended);
  const RecordingState state = recorder->stop();
  REQUIRE(state.problem);
  CHECK(state.problem->message.find("could not be written: File too large.") != std::string::npos);
  CHECK(state.problem->next_step.find("free space") != std::string::npos);
  CHECK(state.written == 0);
  CHECK(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}
