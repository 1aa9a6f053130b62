#pragma once
// A source of test patterns that counts what it is asked for, and a sink that waits for what comes.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>

#include "preview/frame_info.hpp"
#include "preview/frame_source.hpp"

namespace seamscope::test {

constexpr uint32_t kPatternWidth = 32, kPatternHeight = 16;

// Output 0 "color" (RGBA8): red is the frame number, green the column, blue the row. Output 1 "ids" (u32): number *
// 1000 + row; as a batch, parts of it are images of their own.
class PatternFrame final : public Frame {
 public:
  PatternFrame(uint64_t number, std::span<const uint32_t> wanted) : number_(number) {
    for (uint32_t output : wanted) make(output);
  }
  uint64_t number() const override { return number_; }
  bool has(uint32_t output) const override { return !bytes_[output].empty(); }
  Result<std::span<const std::byte>> host_bytes(uint32_t output) const override {
    if (!has(output)) return Error{"not rendered", "", ""};
    return std::span<const std::byte>(bytes_[output]);
  }

 private:
  void make(uint32_t output) {
    bytes_[output].resize(kPatternWidth * kPatternHeight * 4);
    for (uint32_t i = 0; i < kPatternWidth * kPatternHeight; ++i) {
      const uint32_t x = i % kPatternWidth, y = i / kPatternWidth;
      const uint32_t texel = output == 0 ? 0xFF000000u | y << 16 | x << 8 | (static_cast<uint32_t>(number_) & 0xFF)
                                         : static_cast<uint32_t>(number_) * 1000 + y;
      std::memcpy(bytes_[output].data() + i * 4, &texel, 4);
    }
  }
  uint64_t number_;
  std::vector<std::byte> bytes_[2];
};

struct PatternCounts {
  std::atomic<int> rendered{0}, last_wanted{0}, alive{0};
  std::atomic<int64_t> last_number{-1};
  std::atomic<int> fail_at{-1};  // the render that reports a lost device
};

class PatternSource final : public FrameSource {
 public:
  explicit PatternSource(PatternCounts& counts, uint32_t batches = 1) : counts_(counts) {
    FrameDesc color{kPatternWidth,    kPatternHeight,    4, Dtype::U8, OutputKind::Color,
                    ColorSpace::Srgb, kPatternWidth * 4, 4, 1,         false};
    FrameDesc ids{kPatternWidth,    kPatternHeight,    1, Dtype::U32, OutputKind::Id,
                  ColorSpace::Data, kPatternWidth * 4, 4, 4,          false};
    ids.height /= batches;
    ids.batches = batches;
    ids.batch_stride = ids.row_stride * ids.height;
    outputs_ = {{"color", color}, {"ids", ids}};
    ++counts_.alive;
  }
  ~PatternSource() override { --counts_.alive; }

  std::vector<OutputInfo> outputs() const override { return outputs_; }
  std::string device() const override { return "test pattern"; }
  Result<std::shared_ptr<const Frame>> render(uint64_t number, std::span<const uint32_t> wanted) override {
    if (counts_.rendered == counts_.fail_at) return Error{"The device is lost.", "Restart the engine.", "-4"};
    ++counts_.rendered;
    counts_.last_wanted = static_cast<int>(wanted.size());
    counts_.last_number = static_cast<int64_t>(number);
    return std::shared_ptr<const Frame>(std::make_shared<PatternFrame>(number, wanted));
  }

 private:
  PatternCounts& counts_;
  std::vector<OutputInfo> outputs_;
};

class WaitingSink final : public ViewSink {
 public:
  struct Shot {
    FrameInfo info;
    std::vector<uint8_t> bytes;
  };

  void on_picture(const FrameInfo& info, std::vector<uint8_t> bytes) override {
    std::lock_guard lock(mutex_);
    shots_.push_back({info, std::move(bytes)});
    changed_.notify_all();
  }
  void on_failed(const Error& error) override {
    std::lock_guard lock(mutex_);
    failures_.push_back(error);
    changed_.notify_all();
  }

  // False when fewer than `count` came within ten seconds.
  bool wait_for_pictures(size_t count) {
    return wait([&] { return shots_.size() >= count; });
  }
  bool wait_for_failure() {
    return wait([&] { return !failures_.empty(); });
  }
  std::vector<Shot> shots() {
    std::lock_guard lock(mutex_);
    return shots_;
  }
  std::vector<Error> failures() {
    std::lock_guard lock(mutex_);
    return failures_;
  }

 private:
  template <typename Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), condition);
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Shot> shots_;
  std::vector<Error> failures_;
};

// RGBA at 1:1, as fast as it goes.
inline ViewParams pattern_view(const char* output = "color") {
  ViewParams params;
  params.output = output;
  params.width = kPatternWidth;
  params.height = kPatternHeight;
  params.rect_w = kPatternWidth;
  params.rect_h = kPatternHeight;
  params.encoding = Encoding::Rgba;
  params.max_rate = 1000;
  return params;
}

}  // namespace seamscope::test
