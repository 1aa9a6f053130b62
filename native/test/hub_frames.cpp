// Frames of a well-behaved publisher come through, newest first, and nothing more is copied than wanted.

#include <atomic>
#include <numeric>

#include "hub_fixture.hpp"

using namespace seamscope;
using namespace seamscope::test;
using frames::OutputState;

namespace {

std::byte first_byte(const Frame& frame) {
  return frame.host_bytes(0)->front();
}

}  // namespace

TEST_CASE("a published frame arrives with its bytes, its number and its times") {
  const HubFixture fixture;
  Watched watched(fixture);
  CHECK(watched.newest() == nullptr);
  const double before = static_cast<double>(clock_ns()) / 1e6;
  REQUIRE(watched.publisher.publish(rgba(8, 4), std::byte{7}));
  const auto frame = watched.newest();
  REQUIRE(frame);
  CHECK(frame->number() == 1);
  CHECK(frame->desc(0)->width == 8);
  CHECK(frame->produced_at() >= before);
  CHECK(frame->handoff_ms() >= 0);
  const auto bytes = frame->host_bytes(0);
  REQUIRE(bytes);
  CHECK(bytes->size() == 8 * 4 * 4);
  CHECK(std::count(bytes->begin(), bytes->end(), std::byte{7}) == 8 * 4 * 4);
  CHECK(watched.newest() == frame);  // the same one again
  CHECK(watched.publisher.state(0, 1, 0) == SEAMSCOPE_SLOT_FREE);
}

TEST_CASE("the newest frame wins and older ones are given back") {
  const HubFixture fixture;
  Watched watched(fixture);
  for (int i = 1; i <= 3; ++i) REQUIRE(watched.publisher.publish(rgba(8, 4), std::byte(i)));
  const auto frame = watched.newest();
  CHECK(frame->number() == 3);
  CHECK(first_byte(*frame) == std::byte{3});
  CHECK(watched.newest()->number() == 3);
  for (uint32_t slot = 0; slot < 3; ++slot) CHECK(watched.publisher.state(0, 1, slot) == SEAMSCOPE_SLOT_FREE);
}

TEST_CASE("a publisher that nobody reads takes its own oldest frame back") {
  const HubFixture fixture;
  Watched watched(fixture);
  for (int i = 1; i <= 100; ++i) REQUIRE(watched.publisher.publish(rgba(8, 4), std::byte(i)));
  CHECK(watched.newest()->number() == 100);
}

TEST_CASE("a frame held is not overwritten") {
  const HubFixture fixture;
  Watched watched(fixture);
  REQUIRE(watched.publisher.publish(rgba(8, 4), std::byte{1}));
  const auto held = watched.newest();
  for (int i = 2; i <= 10; ++i) {
    REQUIRE(watched.publisher.publish(rgba(8, 4), std::byte(i)));
    CHECK(first_byte(*watched.newest()) == std::byte(i));
  }
  CHECK(first_byte(*held) == std::byte{1});
}

TEST_CASE("a doorbell wakes whoever watches") {
  const HubFixture fixture;
  std::atomic<int> woken{0};
  Watched watched(fixture);
  watched.source->listen([&] { ++woken; });
  REQUIRE(watched.publisher.publish(rgba(8, 4), std::byte{1}));
  CHECK(eventually([&] { return woken > 0; }));
}

TEST_CASE("wanted and the rate stand on the control page while somebody watches") {
  const HubFixture fixture;
  Watched watched(fixture);
  const auto& output = watched.publisher.control().outputs[0];
  CHECK(watched.publisher.wanted(0));
  CHECK(output.max_rate_millihertz == 30000);
  fixture.hub->set_max_rate(10);
  CHECK(output.max_rate_millihertz == 10000);
  watched.source->want({}, 0);
  CHECK_FALSE(watched.publisher.wanted(0));
  watched.source->want(Watched::only, 5);
  CHECK(output.max_rate_millihertz == 5000);
  watched.source.reset();
  CHECK_FALSE(watched.publisher.wanted(0));
}

TEST_CASE("a larger ring takes over and the old one is released") {
  const HubFixture fixture;
  Watched watched(fixture);
  auto& publisher = watched.publisher;
  for (uint32_t generation = 2; generation < 8; ++generation) {
    const uint32_t side = 8 << generation;
    REQUIRE(publisher.offer(TestPublisher::host_ring(0, generation, 2, uint64_t{side} * side * 4)));
    CHECK(publisher.answered(SEAMSCOPE_RING_ACCEPTED));
    const auto released = publisher.answer();
    REQUIRE(released);
    CHECK(released->header.type == SEAMSCOPE_RING_RELEASED);
    CHECK(released->generation == generation - 1);
    REQUIRE(publisher.publish(rgba(side, side), std::byte(generation)));
    const auto frame = watched.newest();
    CHECK(frame->desc(0)->width == side);
    CHECK(first_byte(*frame) == std::byte(generation));
  }
}

TEST_CASE("size and format change with every frame") {
  const HubFixture fixture;
  Watched watched(fixture, rgba(64, 64));
  for (uint32_t i = 1; i <= 200; ++i) {
    seamscope_frame_desc desc = rgba(1 + i % 61, 1 + i % 53);
    desc.dtype = i % 2 ? SEAMSCOPE_U8 : SEAMSCOPE_F32;
    desc.channels = i % 2 ? 4 : 1;
    desc.kind = i % 7;
    REQUIRE(watched.publisher.publish(desc, std::byte(i)));
    const auto frame = watched.newest();
    CHECK(frame->number() == i);
    CHECK(frame->desc(0)->width == desc.width);
    CHECK(frame->desc(0)->height == desc.height);
    CHECK(static_cast<uint32_t>(frame->desc(0)->dtype) == desc.dtype);
    CHECK(static_cast<uint32_t>(frame->desc(0)->kind) == desc.kind);
  }
}

TEST_CASE("strides, planes, an offset and a batch arrive as published") {
  const HubFixture fixture;
  Watched watched(fixture, rgba(64, 64));
  seamscope_frame_desc desc = rgba(5, 3);
  desc.dtype = SEAMSCOPE_F16;
  desc.batch = 2;
  desc.channels = 3;
  desc.offset = 6;
  desc.pixel_stride = 2;
  desc.row_stride = 16;
  desc.channel_stride = 64;
  desc.batch_stride = 256;
  desc.flags = SEAMSCOPE_FLAG_BOTTOM_UP;
  std::iota(reinterpret_cast<uint8_t*>(watched.publisher.slot_bytes(0)),
            reinterpret_cast<uint8_t*>(watched.publisher.slot_bytes(0)) + 512, uint8_t{0});
  auto& slot = watched.publisher.slot_of(0, 1, 0);
  slot.generation = 1;
  slot.frame = 1;
  slot.desc = desc;
  watched.publisher.state(0, 1, 0) = SEAMSCOPE_SLOT_READY;
  const auto frame = watched.newest();
  REQUIRE(frame);
  const FrameDesc& got = *frame->desc(0);
  CHECK(got.batches == 2);
  CHECK(got.batch_stride == 256);
  CHECK(got.channel_stride == 64);
  CHECK(got.bottom_up);
  const auto bytes = *frame->host_bytes(0);
  CHECK(bytes.size() == 256 + 2 * 64 + 2 * 16 + 4 * 2 + 2);
  for (size_t i = 0; i < bytes.size(); ++i) REQUIRE(static_cast<uint8_t>(bytes[i]) == static_cast<uint8_t>(i + 6));
}

TEST_CASE("two publishers of one name, and one that comes back") {
  const HubFixture fixture;
  auto first = std::make_unique<Watched>(fixture);
  TestPublisher second(fixture.hub->path());
  REQUIRE(second.hello("test"));
  REQUIRE(second.answered(SEAMSCOPE_WELCOME));
  CHECK(fixture.info("pub:test#2"));
  REQUIRE(first->publisher.publish(rgba(8, 4), std::byte{1}));
  REQUIRE(first->newest());
  first->publisher.hang_up();
  REQUIRE(eventually([&] { return fixture.output("pub:test")->state == OutputState::Gone; }));
  CHECK(first->newest()->number() == 1);  // the last frame stays
  CHECK(first->source->problem().find("has ended") != std::string::npos);

  TestPublisher again(fixture.hub->path());
  REQUIRE(again.hello("test"));
  REQUIRE(again.answered(SEAMSCOPE_WELCOME));
  REQUIRE(again.output(5, "color", rgba(8, 4)));
  REQUIRE(eventually([&] { return again.wanted(5); }));  // whoever watched goes on watching
  REQUIRE(again.offer(TestPublisher::host_ring(5, 1, 2, 128)));
  REQUIRE(again.answered(SEAMSCOPE_RING_ACCEPTED));
  REQUIRE(again.publish(rgba(8, 4), std::byte{9}));
  CHECK(first_byte(*first->newest()) == std::byte{9});
  CHECK(first->source->problem().empty());
  CHECK(fixture.hub->list().size() == 2);
}

TEST_CASE("a publisher that went is forgotten when nobody looks") {
  const HubFixture fixture;
  auto watched = std::make_unique<Watched>(fixture);
  watched->publisher.hang_up();
  REQUIRE(eventually([&] { return !fixture.info("pub:test")->connected; }));
  watched.reset();
  CHECK(fixture.hub->list().empty());
}

TEST_CASE("128 outputs") {
  const HubFixture fixture;
  TestPublisher publisher(fixture.hub->path());
  REQUIRE(publisher.hello("test"));
  REQUIRE(publisher.answered(SEAMSCOPE_WELCOME));
  for (uint32_t i = 0; i < SEAMSCOPE_MAX_OUTPUTS; ++i)
    REQUIRE(publisher.output(i, "output" + std::to_string(i), rgba(8, 4)));
  const auto source = fixture.open("pub:test");
  REQUIRE(eventually([&] { return source->outputs().size() == SEAMSCOPE_MAX_OUTPUTS; }));
  std::vector<uint32_t> all(SEAMSCOPE_MAX_OUTPUTS);
  std::iota(all.begin(), all.end(), 0u);
  source->want(all, 30);
  for (const uint32_t i : all) {
    REQUIRE(publisher.offer(TestPublisher::host_ring(i, 1, 2, 128)));
    REQUIRE(publisher.answered(SEAMSCOPE_RING_ACCEPTED));
    REQUIRE(publisher.publish(rgba(8, 4), std::byte(i)));
  }
  const auto frame = *source->render(0, all);
  for (const uint32_t i : all) CHECK(frame->host_bytes(i)->front() == std::byte(i));
}

TEST_CASE("faster than anybody looks: 20,000 frames, none wrong, none backwards") {
  const HubFixture fixture;
  Watched watched(fixture, rgba(64, 16));
  std::thread producer([&] {
    for (int i = 1; i <= 20000; ++i) watched.publisher.publish(rgba(64, 16), std::byte(i % 251));
  });
  uint64_t last = 0, wrong = 0, backwards = 0;
  while (last < 20000) {
    const auto frame = watched.newest();
    if (!frame) continue;
    const auto bytes = *frame->host_bytes(0);
    if (bytes.front() != std::byte(frame->number() % 251) || bytes.back() != bytes.front()) ++wrong;
    if (frame->number() < last) ++backwards;
    last = frame->number();
  }
  producer.join();
  CHECK(wrong == 0);
  CHECK(backwards == 0);
}
