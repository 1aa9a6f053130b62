// Frames whose descriptions, slots or control page say what is not so: nothing wrong is shown, and the next good frame
// is.

#include <limits>

#include "hub_fixture.hpp"

using namespace seamscope;
using namespace seamscope::test;

TEST_CASE("a frame whose description lies is not shown, and the next good one is") {
  const HubFixture fixture;
  Watched watched(fixture);
  constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max();
  using Change = void (*)(seamscope_frame_desc&);
  const Change lies[] = {
      [](auto& d) { d.width = 0; },
      [](auto& d) { d.height = 0; },
      [](auto& d) { d.channels = 0; },
      [](auto& d) { d.batch = 0; },
      [](auto& d) { d.width = 9; },
      [](auto& d) { d.height = 5; },
      [](auto& d) { d.channels = 5; },
      [](auto& d) { d.batch = 2, d.batch_stride = 1; },
      [](auto& d) { d.width = 65537, d.pixel_stride = 0; },
      [](auto& d) { d.height = UINT32_MAX, d.row_stride = 0; },
      [](auto& d) { d.offset = 1; },
      [](auto& d) { d.offset = kHuge; },
      [](auto& d) { d.row_stride = kHuge; },
      [](auto& d) { d.row_stride = kHuge / 2; },
      [](auto& d) { d.pixel_stride = kHuge / 7 + 1; },
      [](auto& d) { d.channel_stride = kHuge / 3 + 1; },
      [](auto& d) { d.batch = UINT32_MAX, d.batch_stride = kHuge / UINT32_MAX; },
      [](auto& d) { d.dtype = 15; },
      [](auto& d) { d.dtype = SEAMSCOPE_F64; },
      [](auto& d) { d.kind = 7; },
      [](auto& d) { d.color_space = 3; },
      [](auto& d) { d.flags = 4; },
      [](auto& d) { d.dtype = SEAMSCOPE_R11G11B10F; },  // has three channels, not four
      [](auto& d) { d.dtype = SEAMSCOPE_D24S8; },
  };
  uint64_t good = 0;
  for (const Change& lie : lies) {
    CAPTURE(&lie - lies);
    seamscope_frame_desc desc = rgba(8, 4);
    lie(desc);
    REQUIRE(watched.publisher.publish(desc, std::byte{1}));
    const auto shown = watched.newest();
    CHECK((shown ? shown->number() : 0) == good);
    CHECK(fixture.output("pub:test")->note.find("not shown") != std::string::npos);
    CHECK(watched.source->problem().find("not shown") != std::string::npos);
    REQUIRE(watched.publisher.publish(rgba(8, 4), std::byte{2}));
    good = watched.publisher.frame();
    CHECK(watched.newest()->number() == good);
    CHECK(fixture.output("pub:test")->note.empty());
    CHECK(watched.source->problem().empty());
  }
  for (uint32_t slot = 0; slot < 3; ++slot) CHECK(watched.publisher.state(0, 1, slot) == SEAMSCOPE_SLOT_FREE);
}

TEST_CASE("a control page full of nonsense shows nothing and breaks nothing") {
  const HubFixture fixture;
  Watched watched(fixture);
  REQUIRE(watched.publisher.publish(rgba(8, 4), std::byte{3}));
  REQUIRE(watched.newest()->number() == 1);
  auto& control = watched.publisher.control();
  std::memset(control.outputs, 0xFF, sizeof control.outputs);
  CHECK(watched.newest()->number() == 1);
  for (auto& bank : control.outputs[0].slots)
    for (auto& slot : bank) {
      slot.state = SEAMSCOPE_SLOT_READY;
      slot.generation = 9;
    }
  CHECK(watched.newest()->number() == 1);
  for (uint32_t slot = 0; slot < 3; ++slot) {
    auto& header = watched.publisher.slot_of(0, 1, slot);
    header.generation = 1;
    header.frame = 1;  // not newer than what was shown
    header.state = SEAMSCOPE_SLOT_READY;
  }
  CHECK(watched.newest()->number() == 1);
  CHECK(watched.publisher.state(0, 1, 0) == SEAMSCOPE_SLOT_FREE);
  control.magic = 0;
  control.version = 9;
  CHECK(watched.newest()->number() == 1);
  CHECK(fixture.output("pub:test"));
}

TEST_CASE("a publisher that rewrites a frame while it is read gives a torn frame, nothing worse") {
  const HubFixture fixture;
  Watched watched(fixture, rgba(64, 64), 1);
  std::atomic<bool> stop{false};
  std::thread vandal([&] {
    auto& slot = watched.publisher.slot_of(0, 1, 0);
    for (uint32_t i = 1; !stop; ++i) {
      slot.desc = rgba(i % 64 + 1, i % 64 + 1);
      slot.desc.row_stride = uint64_t{i} * i * i;
      slot.generation = 1;
      std::atomic_ref<uint64_t>(slot.frame).store(i);
      watched.publisher.state(0, 1, 0).store(i % 5);
      watched.publisher.slot_bytes(0)[i % 16384] = std::byte(i);
    }
  });
  for (int i = 0; i < 5000; ++i) watched.newest();
  stop = true;
  vandal.join();
  CHECK(fixture.output("pub:test"));
}
