// The Vulkan passes against the C++ passes, over every dtype, layout and kind of view. Counts, identifiers and overlays
// must be equal, colours within 2 codes: shaders may round powers and divisions differently.

#include <unistd.h>

#include <cmath>
#include <random>

#include "cpu_passes_frames.hpp"
#include "gpu_device.hpp"
#include "preview/cpu_ingest.hpp"
#include "preview/cpu_view.hpp"
#include "preview/gpu_ingest.hpp"
#include "preview/gpu_view.hpp"

using namespace seamscope;
using test::TestFrame;

namespace {

constexpr Dtype kDtypes[] = {Dtype::Bool, Dtype::U8,  Dtype::I8,         Dtype::U16,     Dtype::I16,
                             Dtype::U32,  Dtype::I32, Dtype::I64,        Dtype::F16,     Dtype::BF16,
                             Dtype::F32,  Dtype::F64, Dtype::R11G11B10F, Dtype::RGB10A2, Dtype::D24S8};

bool is_float(Dtype dtype) {
  return dtype == Dtype::F16 || dtype == Dtype::BF16 || dtype == Dtype::F32 || dtype == Dtype::F64;
}

enum class Layout { Interleaved, Planar, PaddedBottomUp, Odd };
std::string name_of(Layout layout) {
  constexpr const char* kNames[] = {"interleaved", "planar", "padded, bottom up", "odd strides"};
  return kNames[static_cast<int>(layout)];
}

uint32_t channels_of(Dtype dtype) {
  if (dtype == Dtype::D24S8) return 2;
  return dtype == Dtype::R11G11B10F ? 3 : 4;
}

FrameDesc describe(Dtype dtype, Layout layout, uint32_t width, uint32_t height, OutputKind kind, ColorSpace space) {
  const uint64_t size = dtype_size(dtype), channels = channels_of(dtype),
                 texel = is_packed(dtype) ? size : size * channels;
  FrameDesc desc{width,         height, channels_of(dtype),          dtype, kind, space,
                 texel * width, texel,  is_packed(dtype) ? 0 : size, false};
  if (layout == Layout::Planar && !is_packed(dtype)) {
    desc.pixel_stride = size;
    desc.row_stride = size * width;
    desc.channel_stride = desc.row_stride * height;
  }
  if (layout == Layout::PaddedBottomUp) {
    desc.row_stride += 4 * size;
    desc.bottom_up = true;
  }
  if (layout == Layout::Odd) {
    desc.pixel_stride += 1;
    desc.row_stride = desc.pixel_stride * width + 3;
  }
  return desc;
}

// A float of moderate size: sums of them do not depend on their order by more than the tolerance.
double moderate(std::mt19937& random) {
  return std::uniform_real_distribution<double>(-0.5, 3.0)(random);
}

// Random bits for integers and packed formats; moderate numbers for floats, with some of every special kind when
// wished.
void store_number(std::byte* at, Dtype dtype, std::mt19937& random, bool specials) {
  if (dtype == Dtype::R11G11B10F) {
    // Exponents below 17: up to about 8, neither NaN nor infinity.
    const uint32_t texel = (random() & 0x3FFu) | (random() & 0x3FFu) << 11 | (random() & 0x1FFu) << 22;
    return void(std::memcpy(at, &texel, 4));
  }
  if (!is_float(dtype)) {
    const uint64_t bits = uint64_t{random()} << 32 | random();
    return void(std::memcpy(at, &bits, dtype_size(dtype)));
  }
  double value = moderate(random);
  if (specials && random() % 40 == 0) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const double special[] = {NAN, kInf, -kInf, -0.0, 0.0, -1.0};
    value = special[random() % 6];
  }
  const auto single = static_cast<float>(value);
  if (dtype == Dtype::F64) std::memcpy(at, &value, 8);
  if (dtype == Dtype::F32) std::memcpy(at, &single, 4);
  const auto bits = bit_cast<uint32_t>(single);
  const auto brain = static_cast<uint16_t>(std::isnan(single) ? 0x7FC0u : bits >> 16);
  if (dtype == Dtype::BF16) std::memcpy(at, &brain, 2);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  uint32_t half = magnitude < 0x38800000u ? 0 : (magnitude - 0x38000000u) >> 13;
  if (magnitude >= 0x7F800000u) half = std::isnan(single) ? 0x7E00u : 0x7C00u;
  const auto signed_half = static_cast<uint16_t>(half | bits >> 31 << 15);
  if (dtype == Dtype::F16) std::memcpy(at, &signed_half, 2);
}

TestFrame random_frame(const FrameDesc& desc, bool specials) {
  std::mt19937 random(desc.width * 31 + static_cast<uint32_t>(desc.dtype));
  TestFrame frame{desc, std::vector<std::byte>(frame_bytes(desc))};
  for (uint32_t y = 0; y < desc.height; ++y)
    for (uint32_t x = 0; x < desc.width; ++x)
      for (uint32_t c = 0; c < (is_packed(desc.dtype) ? 1 : desc.channels); ++c)
        store_number(frame.bytes.data() + y * desc.row_stride + x * desc.pixel_stride + channel_offset(desc, c),
                     desc.dtype, random, specials);
  return frame;
}

class Both {
 public:
  explicit Both(std::shared_ptr<gpu::Device> device, uint64_t window = 0) : device_(device) {
    auto ingest = GpuIngest::create(device, window);
    auto view = GpuView::create(device, window);
    REQUIRE(ingest);
    REQUIRE(view);
    ingest_ = std::move(*ingest);
    view_ = std::move(*view);
  }

  void load(const TestFrame& frame, uint64_t offset = 0) {
    frame_ = frame;
    offset_ = offset;
    buffer_ = test::upload(device_, frame.bytes, offset);
    stats_ = cpu_ingest(pool_, frame_.data(), frame_.desc);
  }

  void compare_stats() {
    auto gpu = ingest_->run(buffer_.device(), frame_.desc, offset_);
    REQUIRE(gpu);
    CHECK(gpu->nan == stats_.nan);
    CHECK(gpu->inf == stats_.inf);
    CHECK(gpu->negative == stats_.negative);
    const Dtype dtype = frame_.desc.dtype;
    const bool rounded = dtype == Dtype::I64 || dtype == Dtype::F64 || dtype == Dtype::D24S8;
    CHECK(std::abs(gpu->min - stats_.min) <= (rounded ? 1e-6 * std::abs(stats_.min) : 0));
    CHECK(std::abs(gpu->max - stats_.max) <= (rounded ? 1e-6 * std::abs(stats_.max) : 0));
  }

  // Largest difference of a colour that is allowed: 0 for identifiers.
  void compare_view(const ViewParams& params, int tolerance) {
    auto gpu = view_->run(buffer_.device(), frame_.desc, params, stats_, offset_);
    REQUIRE(gpu);
    Picture cpu;
    cpu_view(pool_, frame_.data(), frame_.desc, params, stats_, cpu);
    REQUIRE(gpu->size() == cpu.rgba.size());
    int worst = 0;
    size_t where = 0;
    for (size_t i = 0; i < cpu.rgba.size(); ++i) {
      const int difference = std::abs(std::to_integer<int>((*gpu)[i]) - cpu.rgba[i]);
      if (difference > worst) worst = difference, where = i;
    }
    CAPTURE(where / 4 % params.width);
    CAPTURE(where / 4 / params.width);
    CHECK(worst <= tolerance);
  }

 private:
  std::shared_ptr<gpu::Device> device_;
  std::unique_ptr<GpuIngest> ingest_;
  std::unique_ptr<GpuView> view_;
  ThreadPool pool_{1};
  TestFrame frame_;
  gpu::StagedBuffer buffer_;
  uint64_t offset_ = 0;
  FrameStats stats_;
};

ViewParams look(uint32_t width, uint32_t height, double x, double y, double w, double h) {
  ViewParams params;
  params.width = width;
  params.height = height;
  params.x = x;
  params.y = y;
  params.rect_w = w;
  params.rect_h = h;
  return params;
}

void compare_views(Both& both, const FrameDesc& desc) {
  const double w = desc.width, h = desc.height;
  ViewParams minified = look(17, 11, -1.5, -1, w + 2, h + 3);
  both.compare_view(minified, 2);
  ViewParams magnified = look(50, 41, 3.25, 2.5, 9, 7);
  magnified.tone_map = ToneMap::Reinhard;
  magnified.exposure = -0.5f;
  magnified.gamma = 1.8f;
  magnified.flip_y = true;
  magnified.swap_rb = true;
  both.compare_view(magnified, 2);
  ViewParams same = look(desc.width, desc.height, 0, 0, w, h);
  same.overlay_clip = true;
  same.tone_map = ToneMap::Aces;
  same.channel_mask = 0x5;
  both.compare_view(same, 2);
  for (const FalseColor map : {FalseColor::Ids, FalseColor::Labels}) {
    ViewParams ids = minified;
    ids.false_color = map;
    both.compare_view(ids, 0);
  }
  for (const FalseColor map : {FalseColor::Bool, FalseColor::Normal, FalseColor::Motion, FalseColor::Diverging}) {
    CAPTURE(static_cast<int>(map));
    ViewParams params = minified;
    params.false_color = map;
    params.overlay_clip = true;
    both.compare_view(params, 2);
    ViewParams bare = magnified;
    bare.false_color = map;
    bare.overlay_nan = bare.overlay_inf = bare.overlay_negative = false;
    bare.range = {{0.0, 2.0}};
    both.compare_view(bare, 2);
  }
}

}  // namespace

TEST_CASE("passes: every dtype, interleaved") {
  const auto device = test::device();
  if (!device) return;
  Both both(device);
  for (const Dtype dtype : kDtypes) {
    CAPTURE(static_cast<int>(dtype));
    const auto data = describe(dtype, Layout::Interleaved, 61, 37, OutputKind::Tensor, ColorSpace::Data);
    both.load(random_frame(data, true));
    both.compare_stats();
    compare_views(both, data);
    // Random 64-bit integers as sRGB overflow in the decoding: nothing there is worth comparing.
    const auto space = dtype == Dtype::I64 ? ColorSpace::Linear : ColorSpace::Srgb;
    const auto color = describe(dtype, Layout::Interleaved, 61, 37, OutputKind::Color, space);
    both.load(random_frame(color, false));
    both.compare_stats();
    compare_views(both, color);
  }
}

TEST_CASE("passes: layouts") {
  const auto device = test::device();
  if (!device) return;
  Both both(device);
  for (const Layout layout : {Layout::Planar, Layout::PaddedBottomUp, Layout::Odd}) {
    for (const Dtype dtype : {Dtype::U8, Dtype::F16, Dtype::F32, Dtype::I64}) {
      CAPTURE(name_of(layout));
      CAPTURE(static_cast<int>(dtype));
      const auto desc = describe(dtype, layout, 61, 37, OutputKind::Hdr, ColorSpace::Linear);
      both.load(random_frame(desc, true), layout == Layout::Odd ? 5 : 24);
      both.compare_stats();
      if (dtype != Dtype::I64) compare_views(both, desc);
    }
  }
}

TEST_CASE("passes: overlays one by one, and two channels") {
  const auto device = test::device();
  if (!device) return;
  Both both(device);
  for (const OutputKind kind : {OutputKind::Hdr, OutputKind::Depth, OutputKind::Normal, OutputKind::Motion}) {
    CAPTURE(static_cast<int>(kind));
    auto desc = describe(Dtype::F16, Layout::Interleaved, 48, 32, kind, ColorSpace::Data);
    desc.channels = 2;
    both.load(random_frame(desc, true));
    for (uint32_t shown = 0; shown < 8; ++shown) {
      CAPTURE(shown);
      for (const FalseColor map : {FalseColor::None, FalseColor::Normal, FalseColor::Motion}) {
        ViewParams params = look(24, 16, 0, 0, 48, 32);
        params.overlay_nan = shown & 1;
        params.overlay_inf = shown & 2;
        params.overlay_negative = shown & 4;
        params.false_color = map;
        both.compare_view(params, 2);
      }
    }
  }
}

TEST_CASE("passes: frames larger than a binding are taken in bands") {
  const auto device = test::device();
  if (!device) return;
  Both both(device, 16384);
  for (const Layout layout : {Layout::Interleaved, Layout::Planar, Layout::PaddedBottomUp}) {
    CAPTURE(name_of(layout));
    const auto desc = describe(Dtype::F16, layout, 128, 120, OutputKind::Hdr, ColorSpace::Linear);
    both.load(random_frame(desc, true), 1024);
    both.compare_stats();
    compare_views(both, desc);
  }
}

// 256 MiB: more than llvmpipe binds at once, in the device's memory and, for comparison, in the host's.
TEST_CASE("passes: a frame of 16384 x 16384 texels is taken in bands of the device's own size") {
  const auto device = test::device();
  if (!device) return;
#if defined(__SANITIZE_ADDRESS__)
  MESSAGE("skipped: under the sanitizers this frame takes minutes; smaller ones in bands are tested above");
  return;
#endif
  const uint64_t free = uint64_t(sysconf(_SC_AVPHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  if (free < uint64_t{2} << 30) {
    MESSAGE("skipped: it needs 2 GiB of free memory");
    return;
  }
  constexpr uint32_t kSide = 16384;
  FrameDesc desc{kSide, kSide, 1, Dtype::U8, OutputKind::Depth, ColorSpace::Data, kSide, 1, 1, false};
  TestFrame frame{desc, std::vector<std::byte>(frame_bytes(desc))};
  // Each texel tells its place: a band that began elsewhere would show.
  for (size_t y = 0; y < kSide; ++y)
    for (size_t x = 0; x < kSide; ++x) frame.bytes[y * kSide + x] = static_cast<std::byte>((x >> 6) + (y >> 5) * 3);
  frame.bytes[size_t{kSide} * kSide - 1] = std::byte{255};
  Both both(device);
  both.load(frame);
  // Narrow ones, from the first row to the last: a CPU driver takes too long for all of the texels.
  both.compare_view(look(32, 72, 8000, 0, 64, kSide), 2);
  both.compare_view(look(64, 64, 8000, 8000, 512, 512), 2);
  both.compare_view(look(64, 64, kSide - 40.5, kSide - 40.5, 48, 48), 2);
  ViewParams ids = look(64, 64, 100, 0, 32, kSide);
  ids.false_color = FalseColor::Ids;
  both.compare_view(ids, 0);
  if (device->is_cpu()) {
    MESSAGE("skipped: the whole frame on a CPU driver");
    return;
  }
  both.compare_stats();
  both.compare_view(look(128, 72, 0, 0, kSide, kSide), 2);
}

TEST_CASE("passes: a row that no binding holds is an error") {
  const auto device = test::device();
  if (!device) return;
  const auto frame =
      random_frame(describe(Dtype::F32, Layout::Interleaved, 512, 8, OutputKind::Hdr, ColorSpace::Linear), false);
  const auto buffer = test::upload(device, frame.bytes);
  auto ingest = GpuIngest::create(device, 4096);
  auto view = GpuView::create(device, 4096);
  REQUIRE(ingest);
  REQUIRE(view);
  CHECK_FALSE((*ingest)->run(buffer.device(), frame.desc));
  CHECK_FALSE((*view)->run(buffer.device(), frame.desc, look(4, 4, 0, 0, 512, 8), {}));
}

TEST_CASE("passes: what a view cannot reach at once is known before") {
  const auto device = test::device();
  if (!device) return;
  const auto frame =
      random_frame(describe(Dtype::F32, Layout::Interleaved, 64, 64, OutputKind::Hdr, ColorSpace::Linear), false);
  const auto buffer = test::upload(device, frame.bytes);
  auto view = GpuView::create(device, 16384);
  REQUIRE(view);
  for (const uint32_t height : {1u, 2u, 3u, 4u, 5u, 8u, 64u}) {
    CAPTURE(height);
    const ViewParams params = look(16, height, 0, 0, 64, 64);
    if ((*view)->reaches(frame.desc, params)) CHECK((*view)->run(buffer.device(), frame.desc, params, {}));
  }
  CHECK((*view)->reaches(frame.desc, look(16, 64, 0, 0, 64, 64)));
  CHECK_FALSE((*view)->reaches(frame.desc, look(16, 1, 0, 0, 64, 64)));
}

TEST_CASE("passes: a description that reaches beyond the buffer is refused") {
  const auto device = test::device();
  if (!device) return;
  auto frame = random_frame(describe(Dtype::U8, Layout::Interleaved, 8, 8, OutputKind::Color, ColorSpace::Srgb), false);
  const auto buffer = test::upload(device, frame.bytes);
  frame.desc.height = 9;
  auto ingest = GpuIngest::create(device);
  REQUIRE(ingest);
  const auto stats = (*ingest)->run(buffer.device(), frame.desc);
  REQUIRE_FALSE(stats);
  CHECK(stats.error().message.find("288") != std::string::npos);
}

TEST_CASE("passes: false colour, ranges, masks and single marks") {
  const auto device = test::device();
  if (!device) return;
  Both both(device);
  auto desc = describe(Dtype::F32, Layout::Interleaved, 64, 64, OutputKind::Depth, ColorSpace::Data);
  desc.channels = 1;
  desc.pixel_stride = 4;
  desc.row_stride = 256;
  auto frame = random_frame(desc, false);
  const float bad[] = {NAN, INFINITY};
  std::memcpy(frame.bytes.data() + 31 * 256 + 17 * 4, bad, 8);
  both.load(frame);
  both.compare_stats();
  for (const FalseColor map : {FalseColor::None, FalseColor::Gray, FalseColor::Turbo, FalseColor::Viridis}) {
    CAPTURE(static_cast<int>(map));
    ViewParams params = look(9, 7, 0, 0, 64, 64);
    params.false_color = map;
    both.compare_view(params, 2);
    params.range = {{0.25, 1.5}};
    params.overlay_nan = false;
    params.overlay_clip = true;
    both.compare_view(params, 2);
    params.range = {{1.0, 1.0}};
    both.compare_view(params, 2);
  }
  const auto color = describe(Dtype::U8, Layout::Interleaved, 40, 40, OutputKind::Color, ColorSpace::Srgb);
  both.load(random_frame(color, false));
  for (uint32_t mask = 0; mask < 16; ++mask) {
    CAPTURE(mask);
    ViewParams params = look(40, 40, 0, 0, 40, 40);
    params.channel_mask = mask;
    both.compare_view(params, 1);
  }
}
