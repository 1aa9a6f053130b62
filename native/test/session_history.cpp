// Kept frames, references, comparison, stepping and recording through a session with its real threads.

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "preview/history.hpp"
#include "preview/pixel.hpp"
#include "preview/session.hpp"
#include "session_source.hpp"

using namespace seamscope;
using namespace seamscope::test;

namespace {

// So that every frame is kept.
ViewParams slow() {
  ViewParams params = pattern_view();
  params.max_rate = 50;
  return params;
}

struct Fixture {
  PatternCounts counts;
  const uint32_t batches = 1;
  Session session{std::make_unique<PatternSource>(counts, batches)};
  std::shared_ptr<WaitingSink> sink = std::make_shared<WaitingSink>();
  size_t pictures = 0;

  explicit Fixture(ViewParams params = slow(), uint32_t images = 1) : batches(images) {
    REQUIRE(session.open_view(1, std::move(params), sink));
  }
  ~Fixture() { History::shared().set_budget(kHistoryBudget); }

  const WaitingSink::Shot next() {
    // A machine that is late hurries afterwards, and frames that follow each other too fast are not all kept.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    session.credit(1, 1);
    REQUIRE(sink->wait_for_pictures(++pictures));
    return sink->shots().back();
  }
  const WaitingSink::Shot change(const ViewParams& params) {
    REQUIRE(session.update_view(1, params));
    return next();
  }
};

}  // namespace

TEST_CASE("frames are kept and shown again by their number") {
  Fixture f;
  for (int i = 0; i < 5; ++i) f.next();
  const auto kept = f.session.history(1);
  REQUIRE(kept);
  CHECK(kept->frames == std::vector<uint64_t>{0, 1, 2, 3, 4});
  CHECK(kept->state.bytes >= 5 * kPatternWidth * kPatternHeight * 4);
  ViewParams back = slow();
  back.history = 1;
  const auto shot = f.change(back);
  CHECK(shot.info.frame == 1);
  CHECK(shot.bytes[0] == 1);
  CHECK(shot.info.history.frames == 5);
  CHECK(shot.info.history.oldest == 0);
  const auto grab = f.session.grab(1);
  REQUIRE(grab);
  CHECK(grab->frame->number() == 1);
  CHECK(f.next().info.lossless);  // it stands still
  back.history.reset();
  CHECK(f.change(back).info.frame == 5);
}

TEST_CASE("a frame that is not kept any more is said so") {
  Fixture f;
  f.next();
  ViewParams back = slow();
  back.history = 77;
  const auto shot = f.change(back);
  CHECK(shot.info.frame == 0);
  CHECK(shot.info.problem == "Frame 77 is no longer kept; this is the newest one.");
}

TEST_CASE("the budget is held, the oldest go first, and nothing is kept without one") {
  Fixture f;
  constexpr uint64_t kFrame = kPatternWidth * kPatternHeight * 4;
  const uint64_t others = KeptFrame::total_bytes();
  History::shared().set_budget(others + 3 * kFrame);
  for (int i = 0; i < 6; ++i) f.next();
  CHECK(f.session.history(1)->frames == std::vector<uint64_t>{3, 4, 5});
  CHECK(KeptFrame::total_bytes() <= others + 3 * kFrame);
  History::shared().set_budget(0);
  CHECK(f.session.history(1)->frames.empty());
  f.next();
  CHECK(f.session.history(1)->frames.empty());
}

TEST_CASE("kept frames and references go with their source") {
  const uint64_t before = KeptFrame::total_bytes();
  {
    Fixture f;
    f.next();
    REQUIRE(f.session.pin(1));
    CHECK(KeptFrame::total_bytes() > before);
  }
  CHECK(KeptFrame::total_bytes() == before);
}

TEST_CASE("a swipe shows the reference left of its split and the frame right of it") {
  Fixture f;
  f.next();
  const auto pinned = f.session.pin(1);
  REQUIRE(pinned);
  CHECK(pinned->frame == 0);
  CHECK(pinned->output == "color");
  f.next();
  ViewParams params = slow();
  params.compare = CompareMode::Swipe;
  params.reference = pinned->reference;
  params.split = 0.25;
  f.session.pause(1, true);
  const auto shot = f.change(params);
  CHECK(shot.info.frame == 1);
  for (uint32_t x = 0; x < kPatternWidth; ++x) CHECK(shot.bytes[4 * x] == (x < 8 ? 0 : 1));
  CHECK(shot.info.problem.empty());
  f.session.unpin(pinned->reference);
  params.split = 0.5;
  CHECK(f.change(params).info.problem == "The reference is no longer kept.");
}

TEST_CASE("a difference is drawn as data, with its own statistics") {
  Fixture f;
  f.next();
  const auto pinned = f.session.pin(1);
  REQUIRE(pinned);
  for (int i = 0; i < 3; ++i) f.next();
  ViewParams params = slow();
  params.compare = CompareMode::Difference;
  params.reference = pinned->reference;
  params.range = {{0.0, 255.0}};
  f.session.pause(1, true);
  const auto shot = f.change(params);
  CHECK(shot.info.frame == 3);
  CHECK(shot.info.stats.max == 3);  // red counts the frames; green and blue are equal
  CHECK(shot.info.stats.min == 0);
  CHECK(shot.bytes[0] == 3);
  CHECK(shot.bytes[1] == 0);
  CHECK(shot.info.desc.dtype == Dtype::U8);
}

TEST_CASE("histogram and metrics come when they are asked for, exact at rest") {
  Fixture f;
  CHECK_FALSE(f.next().info.histogram);
  const auto pinned = f.session.pin(1);
  f.next();
  ViewParams params = slow();
  params.want_histogram = params.want_metrics = true;
  params.reference = pinned->reference;
  f.session.pause(1, true);
  const auto shot = f.change(params);
  REQUIRE(shot.info.histogram);
  CHECK(shot.info.histogram->counts[1] == kPatternWidth * kPatternHeight + kPatternHeight + kPatternWidth);
  REQUIRE(shot.info.metrics);
  CHECK(shot.info.metrics->mae == doctest::Approx(1.0 / 3));
  CHECK(shot.info.metrics->reference == pinned->reference);
  const auto rest = f.next();
  CHECK(rest.info.lossless);
  CHECK(rest.info.metrics->frame == 1);
  CHECK(rest.info.histogram->frame == 1);
}

TEST_CASE("a paused view steps by one frame") {
  Fixture f;
  f.next();
  f.session.pause(1, true);
  f.next();  // at rest
  f.session.step(1);
  CHECK(f.next().info.frame == 1);
  CHECK(f.next().info.lossless);
  CHECK(f.counts.rendered == 2);
}

TEST_CASE("a recording writes each new frame to a file of its own") {
  const auto folder = std::filesystem::temp_directory_path() / ("seamscope-record-" + std::to_string(::getpid()));
  {
    Fixture f;
    f.next();
    const auto started = f.session.record(1, {(folder / "new").string(), "npy", 2});
    REQUIRE(started);
    CHECK(started->running);
    for (int i = 0; i < 4; ++i) f.next();
    const auto stopped = f.session.stop_recording(1);
    REQUIRE(stopped);
    CHECK(stopped->written == 2);
    CHECK_FALSE(stopped->running);
    CHECK(std::filesystem::exists(folder / "new" / "color.000001.npy"));
    CHECK(std::filesystem::exists(folder / "new" / "color.000002.npy"));
    CHECK_FALSE(std::filesystem::exists(folder / "new" / "color.000003.npy"));
    CHECK_FALSE(f.session.stop_recording(1));

    const auto bad = f.session.record(1, {(folder / "new").string(), "gif", 2});
    REQUIRE(bad);
    f.next();
    const auto ended = f.session.stop_recording(1);
    REQUIRE(ended);
    REQUIRE(ended->problem);
    CHECK(ended->written == 0);
    std::ofstream(folder / "file") << "x";
    CHECK_FALSE(f.session.record(1, {(folder / "file").string(), "npy", 1}));
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a recording writes the image of a batch that is looked at") {
  const auto folder = std::filesystem::temp_directory_path() / ("seamscope-batch-" + std::to_string(::getpid()));
  for (const uint32_t batch : {0u, 1u}) {
    ViewParams params = pattern_view("ids");
    params.max_rate = 50;
    params.batch = batch;
    Fixture f(params, 2);
    f.next();
    REQUIRE(f.session.record(1, {folder.string(), "npy", 1}));
    for (int i = 0; i < 2; ++i) f.next();
    const auto stopped = f.session.stop_recording(1);
    REQUIRE(stopped);
    std::ifstream file(std::filesystem::path(stopped->folder) / "ids.000001.npy", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    REQUIRE(text.size() > kPatternWidth * 4);
    CHECK(text.find("(8, 32)") != std::string::npos);
    uint32_t first = 0;
    std::memcpy(&first, text.data() + text.size() - kPatternWidth * kPatternHeight / 2 * 4, 4);
    CHECK(first == 1000 + batch * kPatternHeight / 2);
  }
  std::filesystem::remove_all(folder);
}
