// Who gets which slot, and when a frame is copied at all.

#include <doctest/doctest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "publisher_session.hpp"

namespace seamscope::test {
namespace {

constexpr uint32_t kSide = 16;

int publish_number(const char* name, uint32_t number) {
  std::vector<uint32_t> pixels(kSide * kSide, number);
  const auto desc = frame_of(kSide, kSide, SEAMSCOPE_U32, 1);
  return seamscope_publish_host(name, pixels.data(), &desc);
}

uint32_t number_of(const HubFrame& frame) {
  uint32_t number = 0;
  __builtin_memcpy(&number, frame.bytes.data(), sizeof number);
  return number;
}

}  // namespace

TEST_CASE("publisher: nobody watching means no ring, no copy, no message") {
  TestHub hub;
  const PublisherSession session(hub.path());
  CHECK(publish_number("a", 1) == SEAMSCOPE_UNWATCHED);
  REQUIRE(hub.connect());
  REQUIRE(hub.pump_until([&] { return hub.find("a").has_value(); }));
  for (uint32_t i = 0; i < 100; ++i) CHECK(publish_number("a", i) == SEAMSCOPE_UNWATCHED);
  hub.pump(20);
  CHECK(hub.rings_offered() == 0);
  CHECK(hub.doorbells() == 0);
  CHECK(hub.page(*hub.find("a")).published == 0);
  CHECK(hub.page(*hub.find("a")).skipped == 0);
}

TEST_CASE("publisher: a name that does not fit is refused, and its beginning names nothing") {
  TestHub hub;
  const PublisherSession session(hub.path());
  const std::string fits(63, 'x'), longer = fits + "y";
  const auto output = watch(hub, fits);
  REQUIRE(output);
  for (int i = 0; i < 3; ++i) CHECK(publish_number(longer.c_str(), 1) == SEAMSCOPE_SKIPPED);
  CHECK(seamscope_wanted(longer.c_str()) == 0);
  const auto told = fits + ": an output's name has 1 to 63 bytes";
  REQUIRE(hub.pump_until([&] { return !hub.statuses().empty(); }));
  hub.pump(20);
  CHECK(hub.statuses() == std::vector<std::string>{told});
  CHECK(hub.outputs().size() == 1);
  CHECK(hub.page(*output).published + hub.page(*output).skipped == 0);
}

TEST_CASE("publisher: turned off") {
  const PublisherSession session("off");
  CHECK_FALSE(session.opened());
  CHECK(publish_number("a", 1) == SEAMSCOPE_UNWATCHED);
  CHECK(seamscope_wanted("a") == 0);
}

TEST_CASE("publisher: the newest frame wins, and never overtakes a slot that is read") {
  TestHub hub;
  const PublisherSession session(hub.path());
  const auto output = watch(hub, "a");
  REQUIRE(output);
  REQUIRE(first_frame(hub, *output, [] { publish_number("a", 0); }));
  REQUIRE(publish_number("a", 1000) == SEAMSCOPE_PUBLISHED);
  const auto held = hub.begin_read(*output);
  REQUIRE(held);
  for (uint32_t i = 1; i <= 50; ++i) CHECK(publish_number("a", i) == SEAMSCOPE_PUBLISHED);
  // The slot that is being read still holds its frame.
  uint32_t number = 0;
  __builtin_memcpy(&number, hub.ring(*output)->slot(held->slot), sizeof number);
  CHECK(number == 1000);
  const auto newest = hub.take(*output);
  REQUIRE(newest);
  CHECK(number_of(*newest) == 50);
  CHECK_FALSE(hub.take(*output));  // the older one was freed
  hub.end_read(*output, *held);
}

TEST_CASE("publisher: with every slot in use a frame is skipped and counted") {
  TestHub hub;
  const PublisherSession session(hub.path());
  const auto output = watch(hub, "a");
  REQUIRE(output);
  REQUIRE(first_frame(hub, *output, [] { publish_number("a", 0); }));
  std::vector<HubFrame> held;
  for (uint32_t i = 0; i < hub.ring(*output)->message().slot_count; ++i) {
    REQUIRE(publish_number("a", i) == SEAMSCOPE_PUBLISHED);
    const auto frame = hub.begin_read(*output);
    REQUIRE(frame);
    held.push_back(*frame);
  }
  const auto skipped = hub.page(*output).skipped;
  CHECK(publish_number("a", 77) == SEAMSCOPE_SKIPPED);
  CHECK(hub.page(*output).skipped == skipped + 1);
  hub.end_read(*output, held.front());
  CHECK(publish_number("a", 78) == SEAMSCOPE_PUBLISHED);
}

TEST_CASE("publisher: frame numbers grow with every publish, also while nobody watches") {
  TestHub hub;
  const PublisherSession session(hub.path());
  const auto output = watch(hub, "a");
  REQUIRE(output);
  const auto first = first_frame(hub, *output, [] { publish_number("a", 0); });
  REQUIRE(first);
  hub.want(*output, false);
  for (uint32_t i = 0; i < 10; ++i) CHECK(publish_number("a", i) == SEAMSCOPE_UNWATCHED);
  hub.want(*output);
  REQUIRE(publish_number("a", 1) == SEAMSCOPE_PUBLISHED);
  const auto next = hub.take(*output);
  REQUIRE(next);
  CHECK(next->header.frame == first->header.frame + 11);
  CHECK(next->header.published_ns > first->header.published_ns);
  CHECK(next->header.ready_ns >= next->header.published_ns);
}

TEST_CASE("publisher: the viewer's rate is kept on average") {
  TestHub hub;
  const PublisherSession session(hub.path());
  const auto output = watch(hub, "a");
  REQUIRE(output);
  REQUIRE(first_frame(hub, *output, [] { publish_number("a", 0); }));
  hub.want(*output, true, 100'000);  // 100 a second
  uint32_t published = 0;
  const auto begin = std::chrono::steady_clock::now();
  auto elapsed = std::chrono::duration<double>(0);
  while (elapsed.count() < 0.4) {
    published += publish_number("a", 0) == SEAMSCOPE_PUBLISHED;
    hub.pump(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    elapsed = std::chrono::steady_clock::now() - begin;
  }
  CHECK(published <= elapsed.count() * 100 + 2);
  CHECK(published >= 1);
}

TEST_CASE("publisher: a larger frame moves to a larger ring, whose generation is the next") {
  TestHub hub;
  const PublisherSession session(hub.path());
  const auto output = watch(hub, "a");
  REQUIRE(output);
  std::vector<uint32_t> pixels(1024 * 1024, 5);
  uint64_t capacity = 0;
  for (uint32_t generation = 1, side = 64; side <= 1024; side *= 2, ++generation) {
    const auto desc = frame_of(side, side, SEAMSCOPE_U32, 1);
    const auto frame = first_frame(hub, *output, [&] { seamscope_publish_host("a", pixels.data(), &desc); });
    REQUIRE(frame);
    CHECK(frame->header.desc.width == side);
    const auto& message = hub.ring(*output)->message();
    CHECK(frame->header.generation == message.generation);
    CHECK(message.slot_size >= uint64_t{side} * side * 4);
    CHECK(message.slot_size >= capacity);
    capacity = message.slot_size;
  }
  const auto generation = hub.ring(*output)->message().generation;
  const auto small = frame_of(8, 8, SEAMSCOPE_U32, 1);
  REQUIRE(first_frame(hub, *output, [&] { seamscope_publish_host("a", pixels.data(), &small); }));
  CHECK(hub.ring(*output)->message().generation == generation);
}

TEST_CASE("publisher: many outputs, names that fit and names that do not") {
  TestHub hub;
  const PublisherSession session(hub.path());
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("output " + std::to_string(i));
  const std::string longest(63, 'x');
  for (const auto& name : names) publish_number(name.c_str(), 1);
  publish_number(longest.c_str(), 1);
  publish_number((longest + "and more").c_str(), 1);
  publish_number("", 1);
  publish_number(nullptr, 1);
  // 62 letters, and a character of two bytes that does not fit any more.
  publish_number((std::string(62, 'y') + "\xC3\xA4").c_str(), 1);
  REQUIRE(hub.connect());
  REQUIRE(hub.pump_until([&] { return hub.outputs().size() == 102; }));
  for (const auto& name : names) CHECK(hub.find(name));
  CHECK(hub.find(longest));
  CHECK(hub.find("output"));
  for (int i = 0; i < 100; ++i) publish_number(("more " + std::to_string(i)).c_str(), 1);
  hub.pump(50);
  CHECK(hub.outputs().size() == SEAMSCOPE_MAX_OUTPUTS);
}

TEST_CASE("publisher: the greeting says who it is") {
  TestHub hub;
  const PublisherSession session(hub.path());
  publish_number("a", 1);
  REQUIRE(hub.connect());
  CHECK(hub.hello().pid == static_cast<uint32_t>(getpid()));
  CHECK(std::string(hub.hello().name) == "tests");
  CHECK(hub.hello().flags == 0);
  CHECK(hub.hello().cuda_ordinal == -1);
}

}  // namespace seamscope::test
