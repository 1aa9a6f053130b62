// The Vulkan scene against the host scene, and what both promise.
//
// Tolerance: shaders may round divisions and square roots differently, so a pixel on an edge can fall to the other
// side. At most 1 pixel in 1,000 may show another object; of the others at most 1 in 500 may differ by more than 2
// codes of colour, 2 % of HDR radiance or 0.1 % of depth.

#include <cmath>

#include "gpu_device.hpp"
#include "preview/decode.hpp"
#include "preview/texel.hpp"
#include "scene/half.hpp"
#include "scene/scene.hpp"

using namespace seamscope;

namespace {

constexpr uint32_t kWidth = 471, kHeight = 263;  // no multiples of the tile's side
constexpr uint32_t kAll[] = {kSceneColor, kSceneHdr, kSceneDepth, kSceneIds};

std::shared_ptr<const Frame> rendered(FrameSource& scene, uint64_t number, std::span<const uint32_t> wanted = kAll) {
  auto frame = scene.render(number, wanted);
  REQUIRE(frame);
  return *frame;
}

std::span<const std::byte> bytes_of(const Frame& frame, uint32_t output) {
  auto bytes = frame.host_bytes(output);
  REQUIRE(bytes);
  return *bytes;
}

// The outputs of a frame as arrays.
struct Texels {
  explicit Texels(const Frame& frame) {
    for (uint32_t i = 0; i < kSceneOutputs; ++i) bytes[i] = bytes_of(frame, i).data();
  }
  uint32_t id(size_t i) const { return load_as<uint32_t>(bytes[kSceneIds] + i * 4); }
  float depth(size_t i) const { return load_as<float>(bytes[kSceneDepth] + i * 4); }
  int color(size_t i, size_t c) const { return load_as<uint8_t>(bytes[kSceneColor] + i * 4 + c); }
  float hdr(size_t i, size_t c) const { return decode::f16(load_as<uint16_t>(bytes[kSceneHdr] + i * 8 + c * 2)); }

  const std::byte* bytes[kSceneOutputs];
};

bool close(float a, float b, float relative) {
  return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b)) + 1e-3f;
}

struct Differences {
  uint32_t ids = 0, color = 0, hdr = 0, depth = 0;
};

Differences compare(const Texels& a, const Texels& b) {
  Differences found;
  for (size_t i = 0; i < size_t{kWidth} * kHeight; ++i) {
    if (a.id(i) != b.id(i)) {
      ++found.ids;
      continue;
    }
    bool color = false, hdr = false;
    for (size_t c = 0; c < 3; ++c) {
      color |= std::abs(a.color(i, c) - b.color(i, c)) > 2;
      hdr |= !close(a.hdr(i, c), b.hdr(i, c), 0.02f);
    }
    found.color += color;
    found.hdr += hdr;
    found.depth += !close(a.depth(i), b.depth(i), 0.001f);
  }
  return found;
}

}  // namespace

TEST_CASE("scene: the Vulkan and the host renderer agree") {
  const auto device = test::device();
  if (!device) return;
  auto vulkan = open_vulkan_scene(device, kWidth, kHeight), host = open_host_scene(kWidth, kHeight, 2);
  REQUIRE(vulkan);
  REQUIRE(host);
  constexpr uint32_t kPixels = kWidth * kHeight;
  for (const uint64_t number : {0, 333, 5000, 123456789}) {
    CAPTURE(number);
    const auto ours = rendered(**vulkan, number), twin = rendered(**host, number);
    const auto found = compare(Texels(*ours), Texels(*twin));
    CHECK(found.ids < kPixels / 1000);
    CHECK(found.color < kPixels / 500);
    CHECK(found.hdr < kPixels / 500);
    CHECK(found.depth < kPixels / 500);
  }
}

TEST_CASE("scene: what the outputs hold") {
  auto scene = open_host_scene(kWidth, kHeight, 2);
  REQUIRE(scene);
  const auto frame = rendered(**scene, 100);
  const Texels texels(*frame);
  uint32_t background = 0, floor = 0, bright = 0, opaque = 0, wrong_depth = 0;
  for (size_t i = 0; i < size_t{kWidth} * kHeight; ++i) {
    const uint32_t id = texels.id(i);
    const float depth = texels.depth(i);
    background += id == 0;
    floor += id == 1;
    wrong_depth += (depth == 32.0f) != (id == 0) || !(depth > 1.0f && depth <= 32.0f);
    opaque += texels.color(i, 3) == 255;
    bright += texels.hdr(i, 0) > 4.0f;
  }
  CHECK(wrong_depth == 0);
  CHECK(background > kWidth * kHeight / 10);
  CHECK(floor > kWidth * kHeight / 10);
  CHECK(opaque == kWidth * kHeight);
  CHECK(bright > 20);  // lamps and highlights are far brighter than white
}

TEST_CASE("scene: only wanted outputs are rendered, and frames that are held stay as they are") {
  std::vector<std::unique_ptr<FrameSource>> scenes;
  auto host = open_host_scene(64, 48, 1);
  REQUIRE(host);
  scenes.push_back(std::move(*host));
  if (const auto device = test::device()) {
    auto vulkan = open_vulkan_scene(device, 64, 48);
    REQUIRE(vulkan);
    scenes.push_back(std::move(*vulkan));
  }
  for (auto& scene : scenes) {
    CAPTURE(scene->device());
    const uint32_t depth[] = {kSceneDepth, kSceneDepth, 99};
    auto first = rendered(*scene, 7, depth);
    CHECK(first->number() == 7);
    CHECK(first->has(kSceneDepth));
    CHECK_FALSE(first->has(kSceneColor));
    CHECK_FALSE(first->has(99));
    CHECK_FALSE(first->host_bytes(kSceneColor));
    CHECK(first->buffer(kSceneColor) == nullptr);
    const auto bytes = bytes_of(*first, kSceneDepth);
    const std::vector<std::byte> copy(bytes.begin(), bytes.end());
    for (uint64_t number = 100; number < 110; ++number) rendered(*scene, number * 60, depth);
    CHECK(std::memcmp(copy.data(), bytes_of(*first, kSceneDepth).data(), copy.size()) == 0);
    const auto again = rendered(*scene, 7, depth);
    CHECK(std::memcmp(copy.data(), bytes_of(*again, kSceneDepth).data(), copy.size()) == 0);
    const auto other = rendered(*scene, 60, depth);
    CHECK(std::memcmp(copy.data(), bytes_of(*other, kSceneDepth).data(), copy.size()) != 0);
  }
}

TEST_CASE("scene: a frame outlives its scene") {
  const auto device = test::device();
  if (!device) return;
  std::shared_ptr<const Frame> frame;
  {
    auto scene = open_vulkan_scene(device, 33, 17);
    REQUIRE(scene);
    CHECK((*scene)->gpu_memory_bytes() < uint64_t{8} << 20);
    frame = rendered(**scene, 1);
  }
  CHECK(bytes_of(*frame, kSceneIds).size() >= 33 * 17 * 4);
}

TEST_CASE("scene: sizes that cannot be are refused") {
  for (const auto& [width, height] : {std::pair{0u, 10u}, {10u, 0u}, {kMaxSceneSide + 1, 10u}}) {
    const auto scene = open_host_scene(width, height);
    REQUIRE_FALSE(scene);
    CHECK(scene.error().message.find(std::to_string(width) + "x" + std::to_string(height)) != std::string::npos);
  }
}

TEST_CASE("scene: halves are rounded to nearest even") {
  struct Case {
    float value;
    uint16_t half;
  };
  for (const auto& [value, half] :
       {Case{0.0f, 0}, Case{-0.0f, 0x8000}, Case{1.0f, 0x3C00}, Case{65504.0f, 0x7BFF}, Case{65519.0f, 0x7BFF},
        Case{65520.0f, 0x7C00}, Case{1e30f, 0x7C00}, Case{1.00048828125f, 0x3C00}, Case{1.00146484375f, 0x3C02},
        Case{0x1p-24f, 1}, Case{0x1p-25f, 0}, Case{0x1p-14f, 0x0400}, Case{NAN, 0x7E00}})
    CHECK(scene::to_half(value) == half);
}
