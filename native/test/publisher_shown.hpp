#pragma once
// seamscope.h in this process, the engine's own hub, and a session that draws what arrives.

#include <optional>

#include "hub_fixture.hpp"
#include "preview/session.hpp"
#include "publisher_session.hpp"
#include "session_source.hpp"

namespace seamscope::test {

// A slow, sanitized machine takes its time; whoever waits for something that never comes ends here.
template <typename Question>
bool at_last(Question question) {
  for (int i = 0; i < 6; ++i)
    if (eventually(question)) return true;
  return false;
}

struct Shown {
  explicit Shown(frames::HubOptions options = {}) : fixture(options), publisher(fixture.hub->path()) {}

  // The program "tests", once it has `count` outputs.
  std::unique_ptr<frames::PublishedSource> source(size_t count = 1) {
    REQUIRE(at_last([&] { return fixture.info("pub:tests").has_value(); }));
    auto source = fixture.open("pub:tests");
    REQUIRE(at_last([&] { return source->outputs().size() == count; }));
    return source;
  }

  // Opens view `id` of an output and lets it take that many pictures.
  std::shared_ptr<WaitingSink> look(uint32_t id, const ViewParams& params, size_t outputs = 1,
                                    uint32_t credits = 100'000) {
    if (!session) session.emplace(source(outputs));
    auto sink = std::make_shared<WaitingSink>();
    REQUIRE(session->open_view(id, params, sink));
    session->credit(id, credits);
    return sink;
  }

  // The last picture, once it is one of a frame after `after`; publishes until then.
  template <typename Publish>
  std::optional<WaitingSink::Shot> next(WaitingSink& sink, uint64_t after, Publish publish) {
    std::optional<WaitingSink::Shot> last;
    at_last([&] {
      publish();
      auto shots = sink.shots();
      if (!shots.empty() && shots.back().info.frame > after) last = std::move(shots.back());
      return last.has_value();
    });
    return last;
  }

  HubFixture fixture;
  PublisherSession publisher;
  std::optional<Session> session;
};

// A part of an output, a pixel a texel, as its bytes are.
inline ViewParams texels_of(const std::string& output, uint32_t width, uint32_t height, double x = 0, double y = 0) {
  ViewParams params;
  params.output = output;
  params.width = width;
  params.height = height;
  params.x = x;
  params.y = y;
  params.rect_w = width;
  params.rect_h = height;
  params.encoding = Encoding::Rgba;
  params.max_rate = 1000;
  return params;
}

}  // namespace seamscope::test
