// Sources with a rhythm of their own: one picture a frame, and the source knows who looks.

#include <doctest/doctest.h>

#include <map>
#include <thread>

#include "preview/session.hpp"
#include "session_source.hpp"

using namespace seamscope;
using namespace seamscope::test;

namespace {

// What a test pushes, and what the session tells.
class Producer {
 public:
  // One texel high; the value of every byte is the number's low byte.
  void push(uint32_t output, uint64_t number, uint32_t width) {
    std::function<void()> changed;
    {
      std::lock_guard lock(mutex_);
      auto& frame = frames_[output];
      frame.number = number;
      frame.bytes = std::make_shared<std::vector<std::byte>>(size_t{width} * 4, std::byte(number));
      changed = changed_;
    }
    if (changed) changed();
  }
  struct One {
    uint64_t number = 0;
    std::shared_ptr<std::vector<std::byte>> bytes;
  };
  std::map<uint32_t, One> newest() {
    std::lock_guard lock(mutex_);
    return frames_;
  }
  void listen(std::function<void()> changed) {
    std::lock_guard lock(mutex_);
    changed_ = std::move(changed);
  }
  void want(std::span<const uint32_t> outputs, double rate) {
    std::lock_guard lock(mutex_);
    wanted_.assign(outputs.begin(), outputs.end());
    rate_ = rate;
  }
  bool wants(std::vector<uint32_t> outputs, double rate) {
    std::lock_guard lock(mutex_);
    return wanted_ == outputs && rate_ == rate;
  }
  bool listened() {
    std::lock_guard lock(mutex_);
    return changed_ != nullptr;
  }

 private:
  std::mutex mutex_;
  std::map<uint32_t, One> frames_;
  std::function<void()> changed_;
  std::vector<uint32_t> wanted_;
  double rate_ = 0;
};

FrameDesc one_row(uint32_t width) {
  FrameDesc desc;
  desc.width = width;
  desc.height = 1;
  desc.channels = 4;
  desc.pixel_stride = 4;
  desc.channel_stride = 1;
  desc.row_stride = uint64_t{width} * 4;
  return desc;
}

class PushedFrame final : public Frame {
 public:
  PushedFrame(uint32_t output, Producer::One one)
      : output_(output), one_(std::move(one)), desc_(one_row(static_cast<uint32_t>(one_.bytes->size() / 4))) {}
  uint64_t number() const override { return one_.number; }
  bool has(uint32_t output) const override { return output == output_; }
  Result<std::span<const std::byte>> host_bytes(uint32_t output) const override {
    if (!has(output)) return Error{"not pushed", "", ""};
    return std::span<const std::byte>(*one_.bytes);
  }
  const FrameDesc* desc(uint32_t output) const override { return has(output) ? &desc_ : nullptr; }

 private:
  uint32_t output_;
  Producer::One one_;
  FrameDesc desc_;
};

class PushedSource final : public FrameSource {
 public:
  explicit PushedSource(Producer& producer) : producer_(producer) {}
  std::vector<OutputInfo> outputs() const override { return {{"color", one_row(1)}, {"depth", one_row(1)}}; }
  std::string device() const override { return "test"; }
  bool pushes() const override { return true; }
  void listen(std::function<void()> changed) override { producer_.listen(std::move(changed)); }
  void want(std::span<const uint32_t> outputs, double rate) override { producer_.want(outputs, rate); }
  Result<std::shared_ptr<const Frame>> render(uint64_t, std::span<const uint32_t> wanted) override {
    const auto newest = producer_.newest();
    const auto found = newest.find(wanted.front());
    if (found == newest.end()) return std::shared_ptr<const Frame>();
    if (!last_ || last_->number() != found->second.number || !last_->has(found->first))
      last_ = std::make_shared<PushedFrame>(found->first, found->second);
    return std::shared_ptr<const Frame>(last_);
  }

 private:
  Producer& producer_;
  std::shared_ptr<PushedFrame> last_;
};

ViewParams one_texel(const char* output, double rate = 1000) {
  ViewParams params;
  params.output = output;
  params.encoding = Encoding::Rgba;
  params.max_rate = rate;
  return params;
}

template <typename Question>
bool soon(Question question) {
  for (int i = 0; i < 2000; ++i) {
    if (question()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

// Pictures of new frames: a picture at rest comes once more without loss.
std::vector<WaitingSink::Shot> moving(WaitingSink& sink) {
  std::vector<WaitingSink::Shot> shots;
  for (auto& shot : sink.shots())
    if (!shot.info.lossless) shots.push_back(std::move(shot));
  return shots;
}

struct Watched {
  Watched() : session(std::make_unique<PushedSource>(producer)), sink(std::make_shared<WaitingSink>()) {
    REQUIRE(session.open_view(1, one_texel("color", 30), sink));
  }
  ~Watched() {
    session.close();
    CHECK_FALSE(producer.listened());
    CHECK(producer.wants({}, 0));
  }
  Producer producer;
  Session session;
  std::shared_ptr<WaitingSink> sink;
};

}  // namespace

TEST_CASE("a picture for each frame that is pushed, none before the first and none twice") {
  Watched watched;
  watched.session.credit(1, 100);
  REQUIRE(soon([&] { return watched.producer.wants({0}, 30); }));
  CHECK(watched.sink->shots().empty());
  for (uint64_t number = 1; number <= 5; ++number) {
    watched.producer.push(0, number, 1);
    REQUIRE(soon([&] { return moving(*watched.sink).size() == number; }));
    CHECK(moving(*watched.sink).back().info.frame == number);
    CHECK(moving(*watched.sink).back().bytes[0] == number);
  }
  // The picture at rest, and nothing more.
  REQUIRE(soon([&] { return watched.sink->shots().back().info.lossless; }));
  CHECK(moving(*watched.sink).size() == 5);
}

TEST_CASE("the frame's own description is what is drawn") {
  Watched watched;
  watched.session.credit(1, 100);
  for (const uint32_t width : {7u, 3u, 100u}) {
    watched.producer.push(0, width, width);
    REQUIRE(soon([&] { return !moving(*watched.sink).empty() && moving(*watched.sink).back().info.frame == width; }));
    CHECK(moving(*watched.sink).back().info.frame_width == width);
  }
}

TEST_CASE("the source knows who looks: credits, the highest rate, and whoever went away") {
  Watched watched;
  auto& producer = watched.producer;
  CHECK(producer.wants({}, 0));  // no credit, so nobody looks
  watched.session.credit(1, 1);
  REQUIRE(soon([&] { return producer.wants({0}, 30); }));
  REQUIRE(watched.session.open_view(2, one_texel("depth", 60), std::make_shared<WaitingSink>()));
  watched.session.credit(2, 2);
  REQUIRE(soon([&] { return producer.wants({0, 1}, 60); }));
  watched.session.close_view(2);
  watched.session.credit(1, 0);  // closing alone wakes nobody
  REQUIRE(soon([&] { return producer.wants({0}, 30); }));
  producer.push(0, 1, 1);  // takes the one credit: away when no other comes
  REQUIRE(soon([&] { return producer.wants({}, 0); }));
  watched.session.credit(1, 1);
  REQUIRE(soon([&] { return producer.wants({0}, 30); }));
}

TEST_CASE("a pause wants no frames, and another output of it one") {
  Watched watched;
  watched.session.credit(1, 100);
  watched.producer.push(0, 1, 1);
  REQUIRE(soon([&] { return moving(*watched.sink).size() == 1; }));
  watched.session.pause(1, true);
  REQUIRE(soon([&] { return watched.producer.wants({}, 0); }));
  watched.producer.push(0, 2, 1);
  watched.producer.push(1, 40, 1);
  REQUIRE(watched.session.update_view(1, one_texel("depth", 30)));
  REQUIRE(soon([&] { return watched.sink->shots().back().info.output == "depth"; }));
  CHECK(watched.sink->shots().back().info.frame == 40);
  REQUIRE(soon([&] { return watched.producer.wants({}, 0); }));
}

TEST_CASE("two views of two outputs are served each by its own frames") {
  Watched watched;
  const auto depth = std::make_shared<WaitingSink>();
  REQUIRE(watched.session.open_view(2, one_texel("depth"), depth));
  watched.session.credit(1, 100);
  watched.session.credit(2, 100);
  watched.producer.push(0, 5, 1);
  REQUIRE(soon([&] { return moving(*watched.sink).size() == 1; }));
  watched.producer.push(1, 6, 1);
  REQUIRE(soon([&] { return moving(*depth).size() == 1; }));
  CHECK(moving(*watched.sink).size() == 1);
  CHECK(moving(*watched.sink)[0].info.frame == 5);
  CHECK(moving(*depth)[0].info.frame == 6);
}
