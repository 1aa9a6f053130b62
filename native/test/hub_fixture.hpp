#pragma once
// A hub in a folder of its own.

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "hub_publisher.hpp"

namespace seamscope::test {

// Asks until the answer is true; false after five seconds.
template <typename Question>
bool eventually(Question question) {
  for (int i = 0; i < 1000; ++i) {
    if (question()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return question();
}

struct HubFixture {
  explicit HubFixture(frames::HubOptions options = {}) {
    char name[] = "/tmp/seamscope-hub-XXXXXX";
    folder = mkdtemp(name);
    options.folder = folder;
    options.name = "test";
    auto opened = frames::Hub::open(options);
    REQUIRE(opened);
    hub = *std::move(opened);
  }
  ~HubFixture() {
    hub.reset();
    std::filesystem::remove_all(folder);
  }

  std::optional<frames::PublisherInfo> info(const std::string& id) const {
    for (auto& one : hub->list())
      if (one.id == id) return one;
    return std::nullopt;
  }
  std::optional<frames::PublishedOutput> output(const std::string& id, size_t index = 0) const {
    const auto found = info(id);
    if (!found || found->outputs.size() <= index) return std::nullopt;
    return found->outputs[index];
  }
  std::unique_ptr<frames::PublishedSource> open(const std::string& id) const {
    REQUIRE(eventually([&] { return info(id).has_value(); }));
    auto source = hub->open_source(id);
    REQUIRE(source);
    return *std::move(source);
  }

  std::string folder;
  std::unique_ptr<frames::Hub> hub;
};

// A greeted publisher "test" with one accepted output "color" of `slots` slots, watched.
struct Watched {
  explicit Watched(const HubFixture& fixture, const seamscope_frame_desc& desc = rgba(8, 4), uint32_t slots = 3)
      : publisher(fixture.hub->path()) {
    REQUIRE(publisher.hello("test"));
    REQUIRE(publisher.answered(SEAMSCOPE_WELCOME));
    REQUIRE(publisher.output(0, "color", desc));
    source = fixture.open("pub:test");
    REQUIRE(eventually([&] { return source->outputs().size() == 1; }));
    source->want(only, 30);
    REQUIRE(publisher.offer(TestPublisher::host_ring(0, 1, slots, desc.row_stride * desc.height)));
    REQUIRE(publisher.answered(SEAMSCOPE_RING_ACCEPTED));
  }

  // The newest frame; nullptr when none has come.
  std::shared_ptr<const Frame> newest() {
    auto frame = source->render(0, only);
    REQUIRE(frame);
    return *frame;
  }

  static constexpr uint32_t only[] = {0};
  TestPublisher publisher;
  std::unique_ptr<FrameSource> source;
};

}  // namespace seamscope::test
