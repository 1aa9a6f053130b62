#include "preview/pixel.hpp"

#include <array>
#include <cmath>

#include "preview/texel.hpp"

namespace seamscope {
namespace {

std::string to_hex(uint64_t bits, unsigned digits) {
  std::string text(digits, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, bits >>= 4) *digit = "0123456789abcdef"[bits & 15u];
  return text;
}

struct Field {
  unsigned shift, bits;
};

// Where a packed texel keeps a channel.
Field packed_field(Dtype dtype, uint32_t channel) {
  static constexpr std::array<Field, 3> kR11G11B10F{{{0, 11}, {11, 11}, {22, 10}}};
  static constexpr std::array<Field, 4> kRgb10A2{{{0, 10}, {10, 10}, {20, 10}, {30, 2}}};
  static constexpr std::array<Field, 2> kD24S8{{{0, 24}, {24, 8}}};
  if (dtype == Dtype::R11G11B10F) return kR11G11B10F[channel];
  return dtype == Dtype::RGB10A2 ? kRgb10A2[channel] : kD24S8[channel];
}

std::string hex_of(Dtype dtype, uint32_t channel, const std::byte* at) {
  if (is_packed(dtype)) {
    const Field field = packed_field(dtype, channel);
    return to_hex((load_as<uint32_t>(at) >> field.shift) & ((1u << field.bits) - 1), (field.bits + 3) / 4);
  }
  uint64_t bits = 0;
  std::memcpy(&bits, at, dtype_size(dtype));
  return to_hex(bits, static_cast<unsigned>(dtype_size(dtype)) * 2);
}

std::variant<double, std::string> value_of(int64_t value) {
  constexpr int64_t kExact = int64_t{1} << 53;
  if (value >= -kExact && value <= kExact) return static_cast<double>(value);
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  std::string digits = to_hex(magnitude, 16);
  digits.erase(0, digits.find_first_not_of('0'));
  return (value < 0 ? "-0x" : "0x") + digits;
}

std::variant<double, std::string> value_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

}  // namespace

Pixel read_pixel(const std::byte* bytes, const FrameDesc& desc, uint32_t x, uint32_t y) {
  Pixel pixel;
  const std::byte* texel = bytes + row_offset(desc, y) + x * desc.pixel_stride;
  for (uint32_t c = 0; c < desc.channels; ++c) {
    const std::byte* at = texel + channel_offset(desc, c);
    with_dtype(desc.dtype, [&](auto tag) {
      const auto value = load<tag.value>(at, c);
      if constexpr (std::is_integral_v<std::remove_const_t<decltype(value)>>)
        pixel.values.push_back(value_of(static_cast<int64_t>(value)));
      else
        pixel.values.push_back(value_of(static_cast<double>(value)));
    });
    pixel.hex.push_back(hex_of(desc.dtype, c, at));
  }
  return pixel;
}

}  // namespace seamscope
