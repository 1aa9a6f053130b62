// The two view passes in turns on one stream of frames: whoever draws, the picture is the same within what
// passes_equal.cpp allows. Costs come from a made-up clock, so that the changes are the test's.

#include "preview/view_drawer.hpp"

#include <atomic>
#include <cmath>

#include "cpu_passes_frames.hpp"
#include "gpu_device.hpp"
#include "preview/cpu_passes.hpp"
#include "preview/cpu_view.hpp"
#include "preview/frame_source.hpp"
#include "preview/gpu_passes.hpp"

using namespace seamscope;

namespace {

constexpr uint32_t kWidth = 64, kHeight = 48;

FrameDesc color() {
  return {kWidth, kHeight, 4, Dtype::U8, OutputKind::Color, ColorSpace::Srgb, kWidth * 4, 4, 1, false};
}

// Bytes that differ from frame to frame, in host memory and, where there is a device, in its memory.
class BothFrame final : public Frame {
 public:
  BothFrame(uint64_t number, const std::shared_ptr<gpu::Device>& device)
      : number_(number), bytes_(kWidth * kHeight * 4) {
    for (size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<std::byte>(i * 7 + i / 256 + number * 31);
    if (device) buffer_ = test::upload(device, bytes_);
  }
  uint64_t number() const override { return number_; }
  bool has(uint32_t) const override { return true; }
  Result<std::span<const std::byte>> host_bytes(uint32_t) const override { return std::span<const std::byte>(bytes_); }
  const gpu::Buffer* buffer(uint32_t) const override { return buffer_.size() ? &buffer_.device() : nullptr; }
  const std::byte* data() const { return bytes_.data(); }

 private:
  uint64_t number_;
  std::vector<std::byte> bytes_;
  gpu::StagedBuffer buffer_;
};

// A clock that goes on while a pass draws.
struct Costs {
  std::atomic<double> now{0}, host{1}, device{1};
  std::atomic<int> drawn_by_device{0};
  void pass(double ms) { now = now + ms; }
};

// Real passes at made-up costs.
class Priced final : public PreviewPasses {
 public:
  Priced(std::unique_ptr<PreviewPasses> passes, Costs& costs, ViewPass pass)
      : passes_(std::move(passes)), costs_(costs), pass_(pass) {}
  std::string name() const override { return passes_->name(); }
  Result<FrameStats> ingest(const OutputRef& output) override { return passes_->ingest(output); }
  Result<Histogram> histogram(const OutputRef& output, const std::array<double, 2>& span) override {
    return passes_->histogram(output, span);
  }
  Result<void> view(const OutputRef& output, const ViewParams& params, const FrameStats& stats,
                    Picture& picture) override {
    costs_.pass(pass_ == ViewPass::Host ? costs_.host : costs_.device);
    if (fails) return Error{"made up", "", ""};
    return passes_->view(output, params, stats, picture);
  }
  std::atomic<bool> fails{false};

 private:
  std::unique_ptr<PreviewPasses> passes_;
  Costs& costs_;
  ViewPass pass_;
};

struct Stage {
  Costs costs;
  Priced host{std::make_unique<CpuPasses>(1), costs, ViewPass::Host};
  Priced* device = nullptr;  // once it was made
  std::shared_ptr<gpu::Device> gpu;
  ViewParams params;
  ThreadPool pool{1};

  explicit Stage(std::shared_ptr<gpu::Device> used) : gpu(std::move(used)) {
    params.width = 40;
    params.height = 30;
    params.rect_w = kWidth;
    params.rect_h = kHeight;
  }

  ViewDrawer::Means means() {
    ViewDrawer::Means means;
    means.host = [this]() -> PreviewPasses& { return host; };
    means.spare_host = [this] {
      return std::make_unique<Priced>(std::make_unique<CpuPasses>(1), costs, ViewPass::Host);
    };
    means.device = [this](const Frame&, uint32_t) -> std::unique_ptr<PreviewPasses> {
      auto made = GpuPasses::create(gpu);
      if (!made) return nullptr;
      auto priced = std::make_unique<Priced>(*std::move(made), costs, ViewPass::Device);
      device = priced.get();
      return priced;
    };
    means.now = [this] { return costs.now.load(); };
    return means;
  }

  // Draws frame `number` and compares with what the C++ pass makes of it.
  Drawn draw(ViewDrawer& drawer, uint64_t number, bool upload = false) {
    const auto frame = std::make_shared<BothFrame>(number, upload ? nullptr : gpu);
    const FrameDesc desc = color();
    const OutputRef output{*frame, 0, desc};
    const FrameStats stats{0, 255, 0, 0, 0};
    Picture picture, expected;
    const auto drawn = drawer.draw({frame, output, params, stats, upload}, picture);
    REQUIRE(drawn);
    drawer.wait();
    cpu_view(pool, frame->data(), desc, params, stats, expected);
    REQUIRE(picture.rgba.size() == expected.rgba.size());
    int worst = 0;
    for (size_t i = 0; i < expected.rgba.size(); ++i)
      worst = std::max(worst, std::abs(picture.rgba[i] - expected.rgba[i]));
    const bool exact = drawn->pass == ViewPass::Host || shows_ids(params);
    CHECK(worst <= (exact ? 0 : 2));
    return *drawn;
  }
};

}  // namespace

TEST_CASE("view drawer: changes between the passes in the middle of a stream, the pictures stay") {
  const auto gpu = test::device();
  if (!gpu) return;
  Stage stage(gpu);
  SUBCASE("colours") {}
  SUBCASE("identifiers, bit for bit") {
    stage.params.false_color = FalseColor::Ids;
  }
  ViewDrawer drawer(nullptr, stage.means());
  stage.costs.host = 4;
  uint64_t number = 0;
  int by_device = 0;
  for (; number < 100; ++number) by_device += stage.draw(drawer, number).pass == ViewPass::Device;
  CHECK(by_device > 0);
  CHECK(by_device < 100);
  stage.costs.device = 30;
  Drawn last;
  for (; number < 300; ++number) last = stage.draw(drawer, number);
  CHECK(last.pass == ViewPass::Host);
  CHECK(last.ms == doctest::Approx(4));
  REQUIRE(last.other_ms);
  CHECK(*last.other_ms > 4);
}

TEST_CASE("view drawer: frames of host memory are uploaded where that is cheaper") {
  const auto gpu = test::device();
  if (!gpu) return;
  Stage stage(gpu);
  ViewDrawer drawer(nullptr, stage.means());
  stage.costs.host = 20;
  Drawn last;
  for (uint64_t number = 0; number < 100; ++number) last = stage.draw(drawer, number, true);
  CHECK(last.pass == ViewPass::Device);
}

TEST_CASE("view drawer: a device that fails draws no more, and no picture is lost") {
  const auto gpu = test::device();
  if (!gpu) return;
  Stage stage(gpu);
  ViewDrawer drawer(nullptr, stage.means());
  stage.costs.host = 4;
  uint64_t number = 0;
  Drawn last;
  for (; number < 100; ++number) last = stage.draw(drawer, number);
  REQUIRE(last.pass == ViewPass::Device);
  stage.device->fails = true;
  for (; number < 110; ++number) CHECK(stage.draw(drawer, number).pass == ViewPass::Host);
}

TEST_CASE("view drawer: without a device the host draws, and nothing is looked at") {
  Stage stage(nullptr);
  ViewDrawer drawer(nullptr, stage.means());
  stage.costs.host = 50;
  for (uint64_t number = 0; number < 100; ++number) {
    const Drawn drawn = stage.draw(drawer, number);
    CHECK(drawn.pass == ViewPass::Host);
    CHECK_FALSE(drawn.other_ms);
  }
  CHECK_FALSE(stage.device);
}

TEST_CASE("view drawer: the device of the source draws first, and the host once it is cheaper") {
  const auto gpu = test::device();
  if (!gpu) return;
  Stage stage(gpu);
  auto made = GpuPasses::create(gpu);
  REQUIRE(made);
  Priced device(*std::move(made), stage.costs, ViewPass::Device);
  ViewDrawer drawer(&device, stage.means());
  stage.costs.device = 4;
  CHECK(stage.draw(drawer, 0).pass == ViewPass::Device);
  Drawn last;
  for (uint64_t number = 1; number < 100; ++number) last = stage.draw(drawer, number);
  CHECK(last.pass == ViewPass::Host);
}
