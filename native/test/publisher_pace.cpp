// Many outputs, frames faster than anybody looks, and nobody who looks: out of seamscope.h, through the hub, to
// pictures.

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <thread>

#include "interop/fd_table.hpp"
#include "preview/kept_frame.hpp"
#include "publisher_shown.hpp"

namespace seamscope::test {
namespace {

int publish_value(const char* output, uint8_t value) {
  const std::vector<uint8_t> pixels(8 * 4 * 4, value);
  const auto desc = frame_of(8, 4);
  return seamscope_publish_host(output, pixels.data(), &desc);
}

frames::HubOptions releasing_at_once() {
  frames::HubOptions options;
  options.idle_ms = 0;
  return options;
}

}  // namespace

TEST_CASE("publisher and preview: 100 outputs are listed and each can be looked at, descriptors flat") {
  constexpr uint32_t kOutputs = 100;
  Shown shown(releasing_at_once());
  const auto name = [](uint32_t i) { return "output " + std::to_string(i); };
  for (uint32_t i = 0; i < kOutputs; ++i) seamscope_wanted(name(i).c_str());
  std::set<std::string> listed;
  for (const OutputInfo& output : shown.source(kOutputs)->outputs()) listed.insert(output.name);
  CHECK(listed.size() == kOutputs);
  const size_t before = interop::open_fd_count();
  std::vector<std::shared_ptr<WaitingSink>> sinks;
  for (uint32_t i = 0; i < kOutputs; ++i) {
    CHECK(listed.count(name(i)) == 1);
    sinks.push_back(shown.look(i + 1, texels_of(name(i), 8, 4), kOutputs));
  }
  for (uint32_t i = 0; i < kOutputs; ++i) {
    CAPTURE(i);
    const auto shot = shown.next(*sinks[i], 0, [&] { publish_value(name(i).c_str(), uint8_t(i + 1)); });
    REQUIRE(shot);
    CHECK(shot->info.output == name(i));
    for (size_t byte = 0; byte < shot->bytes.size(); byte += 4) CHECK(shot->bytes[byte] == i + 1);
  }
  CHECK(interop::open_fd_count() > before);
  shown.session.reset();
  CHECK(at_last([&] { return interop::open_fd_count() <= before; }));
  CHECK(shown.fixture.info("pub:tests")->outputs.size() == kOutputs);
}

TEST_CASE("publisher and preview: frames as fast as they come: the newest wins, nobody waits, all are counted") {
  Shown shown;
  seamscope_wanted("color");
  const auto source = shown.source();
  const uint32_t only[] = {0};
  source->want(only, 0);
  uint64_t calls = 0, published = 0, skipped = 0;
  const auto publish = [&] {
    const int answer = publish_value("color", uint8_t(++calls % 251));
    published += answer == SEAMSCOPE_PUBLISHED;
    skipped += answer == SEAMSCOPE_SKIPPED;
    return answer;
  };
  const auto is_newest = [&](const Frame& frame) {
    const auto bytes = *frame.host_bytes(0);
    return frame.number() == calls && bytes.front() == std::byte(calls % 251) && bytes.back() == bytes.front();
  };
  REQUIRE(at_last([&] { return publish() == SEAMSCOPE_PUBLISHED; }));

  SUBCASE("nobody reads: the program takes its own oldest frame back") {
    const uint64_t skipped_before = skipped;
    for (int i = 0; i < 20'000; ++i) publish();
    CHECK(skipped == skipped_before);
  }
  SUBCASE("somebody reads all the time") {
    std::atomic<bool> ended{false};
    uint64_t wrong = 0, backwards = 0, last = 0;
    std::thread reader([&] {
      while (!ended) {
        const auto frame = *source->render(0, only);
        if (!frame) continue;
        const auto bytes = *frame->host_bytes(0);
        wrong += bytes.front() != std::byte(frame->number() % 251) || bytes.back() != bytes.front();
        backwards += frame->number() < last;
        last = frame->number();
      }
    });
    for (int i = 0; i < 20'000; ++i) publish();
    ended = true;
    reader.join();
    CHECK(wrong == 0);
    CHECK(backwards == 0);
  }
  REQUIRE(at_last([&] { return publish() == SEAMSCOPE_PUBLISHED; }));
  const auto frame = *source->render(0, only);
  REQUIRE(frame);
  CHECK(is_newest(*frame));
  CHECK(frame->skipped() == skipped);
  const auto output = shown.fixture.output("pub:tests");
  CHECK(output->skipped == skipped);
  CHECK(output->published == calls);
  // Those before the hub had asked are neither.
  CHECK(published + skipped <= calls);
  CHECK(published >= 1);
}

TEST_CASE("publisher and preview: a hidden view costs the program nothing, and goes on with what is new") {
  Shown shown(releasing_at_once());
  const uint64_t kept = KeptFrame::total_bytes();
  seamscope_wanted("color");
  uint64_t calls = 0, last = 0, granted = 0;
  const auto publish = [&] { return publish_value("color", uint8_t(++calls % 251)); };
  const auto sink = shown.look(1, texels_of("color", 8, 4), 1, 0);
  const auto is_new = [&](const auto& shots) { return !shots.empty() && shots.back().info.frame > last; };
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    // A panel that is seen asks for one picture after the other.
    REQUIRE(at_last([&] {
      const auto shots = sink->shots();
      if (is_new(shots)) return true;
      if (shots.size() == granted) shown.session->credit(1, 1), ++granted;
      publish();
      return false;
    }));
    const auto shot = sink->shots().back();
    CHECK(shot.bytes[0] == shot.info.frame % 251);
    // One that is hidden does not.
    REQUIRE(at_last([&] { return publish() == SEAMSCOPE_UNWATCHED; }));
    const uint64_t bytes = KeptFrame::total_bytes();
    for (int i = 0; i < 1000; ++i) CHECK(publish() == SEAMSCOPE_UNWATCHED);
    CHECK(at_last([&] { return shown.fixture.output("pub:tests")->path.empty(); }));  // no memory is held for it
    CHECK(sink->shots().size() == granted);
    CHECK(KeptFrame::total_bytes() == bytes);
    last = calls;
  }
  shown.session.reset();
  CHECK(KeptFrame::total_bytes() == kept);
}

}  // namespace seamscope::test
