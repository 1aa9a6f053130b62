// A session with its real threads: what is rendered and what reaches the views.

#include <doctest/doctest.h>

#include <thread>

#include "preview/pixel.hpp"
#include "preview/session.hpp"
#include "session_source.hpp"

using namespace seamscope;
using namespace seamscope::test;

namespace {

struct Fixture {
  PatternCounts counts;
  Session session{std::make_unique<PatternSource>(counts)};

  std::shared_ptr<WaitingSink> open(uint32_t id, ViewParams params = pattern_view()) {
    auto sink = std::make_shared<WaitingSink>();
    REQUIRE(session.open_view(id, std::move(params), sink));
    return sink;
  }
};

// Gives the threads a chance to do what they must not do.
void settle() {
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

}  // namespace

TEST_CASE("a session renders as many frames as there is credit for") {
  Fixture f;
  const auto sink = f.open(7);
  settle();
  CHECK(f.counts.rendered == 0);
  f.session.credit(7, 2);
  REQUIRE(sink->wait_for_pictures(2));
  settle();
  CHECK(f.counts.rendered == 2);
  CHECK(f.counts.last_wanted == 1);
  const auto shots = sink->shots();
  CHECK(shots.size() == 2);
  CHECK(shots[0].info.view_id == 7);
  CHECK(shots[0].info.sequence == 1);
  CHECK(shots[1].info.sequence == 2);
  CHECK(shots[1].info.frame == 1);
  CHECK(shots[1].info.output == "color");
  CHECK(shots[1].info.stats.max == 31);
  CHECK(shots[1].info.encoding == Encoding::Rgba);
  CHECK_FALSE(shots[1].info.lossless);
  CHECK(shots[1].bytes[4 * 5] == 1);      // red: the frame
  CHECK(shots[1].bytes[4 * 5 + 1] == 5);  // green: the column
}

TEST_CASE("two views of one source share its frames, and each output is rendered once") {
  Fixture f;
  const auto color = f.open(1), ids = f.open(2, pattern_view("ids"));
  f.session.pause(1, true);
  f.session.pause(2, true);
  f.session.credit(1, 1);
  REQUIRE(color->wait_for_pictures(1));
  f.session.credit(2, 1);
  REQUIRE(ids->wait_for_pictures(1));
  CHECK(f.counts.rendered == 2);
  CHECK(ids->shots()[0].info.output == "ids");
  CHECK(ids->shots()[0].info.stats.min == 1000);
}

TEST_CASE("a view without credit counts the frames that others were shown") {
  Fixture f;
  const auto fast = f.open(1), slow = f.open(2);
  f.session.credit(2, 1);
  REQUIRE(slow->wait_for_pictures(1));
  for (size_t i = 1; i <= 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    f.session.credit(1, 1);
    REQUIRE(fast->wait_for_pictures(i));
  }
  f.session.credit(2, 1);
  REQUIRE(slow->wait_for_pictures(2));
  CHECK(slow->shots()[1].info.dropped == 3);
  CHECK(slow->shots()[1].info.frame == 4);
  CHECK(fast->shots()[2].info.dropped == 1);  // the first frame
}

TEST_CASE("a paused view keeps its frame and answers changes with pictures of it") {
  Fixture f;
  const auto sink = f.open(1);
  f.session.credit(1, 1);
  REQUIRE(sink->wait_for_pictures(1));
  f.session.pause(1, true);
  f.session.credit(1, 10);
  REQUIRE(sink->wait_for_pictures(2));
  CHECK(sink->shots()[1].info.lossless);
  CHECK(sink->shots()[1].info.frame == 0);

  ViewParams moved = pattern_view();
  moved.x = 3;
  REQUIRE(f.session.update_view(1, moved));
  REQUIRE(sink->wait_for_pictures(4));
  settle();
  const auto shots = sink->shots();
  CHECK(shots.size() == 4);
  CHECK_FALSE(shots[2].info.lossless);
  CHECK(shots[3].info.lossless);
  CHECK(shots[2].bytes[1] == 3);
  CHECK(shots[2].info.times.render == 0);
  CHECK(f.counts.rendered == 1);
}

TEST_CASE("the picture at rest is a PNG for views that move as JPEG") {
  Fixture f;
  ViewParams params = pattern_view();
  params.encoding = Encoding::Jpeg;
  const auto sink = f.open(1, params);
  f.session.credit(1, 1);
  REQUIRE(sink->wait_for_pictures(1));
  f.session.pause(1, true);
  f.session.credit(1, 1);
  REQUIRE(sink->wait_for_pictures(2));
  const auto shots = sink->shots();
  CHECK(shots[0].bytes[0] == 0xFF);
  CHECK(shots[0].bytes[1] == 0xD8);
  CHECK(shots[1].info.encoding == Encoding::Png);
  CHECK(shots[1].bytes[1] == 'P');
}

TEST_CASE("another output of a paused frame is rendered again, as the same frame") {
  Fixture f;
  const auto sink = f.open(1);
  f.session.credit(1, 2);
  REQUIRE(sink->wait_for_pictures(2));
  f.session.pause(1, true);
  REQUIRE(f.session.update_view(1, pattern_view("ids")));
  f.session.credit(1, 1);
  REQUIRE(sink->wait_for_pictures(3));
  CHECK(sink->shots()[2].info.output == "ids");
  CHECK(sink->shots()[2].info.frame == 1);
  CHECK(f.counts.last_number == 1);
  CHECK(sink->shots()[2].info.stats.min == 1000);
}

TEST_CASE("the frame last shown can be read") {
  Fixture f;
  const auto sink = f.open(1);
  CHECK_FALSE(f.session.grab(1));
  f.session.credit(1, 3);
  REQUIRE(sink->wait_for_pictures(3));
  const auto grab = f.session.grab(1);
  REQUIRE(grab);
  CHECK(grab->frame->number() == 2);
  CHECK(read_pixel(grab->bytes.data(), grab->desc, 9, 4).hex == std::vector<std::string>{"02", "09", "04", "ff"});
  CHECK_FALSE(f.session.grab(99));
}

TEST_CASE("what cannot be opened says why") {
  Fixture f;
  const auto sink = f.open(1);
  const auto twice = f.session.open_view(1, pattern_view(), sink);
  REQUIRE_FALSE(twice);
  const auto unknown = f.session.open_view(2, pattern_view("albedo"), sink);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().next_step.find("color, ids") != std::string::npos);
  CHECK_FALSE(f.session.update_view(1, pattern_view("albedo")));
}

TEST_CASE("a lost device is told once to every view, and nothing follows") {
  Fixture f;
  f.counts.fail_at = 2;
  const auto first = f.open(1), second = f.open(2);
  f.session.credit(1, 100);
  REQUIRE(first->wait_for_failure());
  REQUIRE(second->wait_for_failure());
  f.session.credit(1, 100);
  settle();
  CHECK(first->failures().size() == 1);
  CHECK(first->failures()[0].message == "The device is lost.");
  CHECK(first->shots().size() <= 2);
  CHECK_FALSE(f.session.open_view(3, pattern_view(), first));
  CHECK_FALSE(f.session.grab(1));
}

TEST_CASE("no callback follows the closing of a view or of the session") {
  PatternCounts counts;
  const auto kept = std::make_shared<WaitingSink>(), closed = std::make_shared<WaitingSink>();
  {
    Session session(std::make_unique<PatternSource>(counts));
    REQUIRE(session.open_view(1, pattern_view(), closed));
    REQUIRE(session.open_view(2, pattern_view(), kept));
    session.credit(1, 1000000);
    session.credit(2, 1000000);
    REQUIRE(closed->wait_for_pictures(3));
    session.close_view(1);
    const size_t count = closed->shots().size();
    CHECK(closed.use_count() == 1);
    REQUIRE(kept->wait_for_pictures(kept->shots().size() + 3));
    CHECK(closed->shots().size() == count);
    session.close();
    CHECK(kept.use_count() == 1);
    CHECK_FALSE(session.open_view(3, pattern_view(), kept));
    CHECK_FALSE(session.grab(2));
  }
  CHECK(counts.alive == 0);
}
