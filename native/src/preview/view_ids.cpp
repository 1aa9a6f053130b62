#include "preview/view_ids.hpp"

#include <array>
#include <cstring>

#include "preview/texel.hpp"
#include "preview/view_math.hpp"

namespace seamscope {
namespace {

template <typename T>
int64_t to_integer(T value) {
  if constexpr (std::is_integral_v<T>) return static_cast<int64_t>(value);
  // Outside these bounds the conversion is undefined.
  if (!(value > -9.2e18 && value < 9.2e18)) return 0;
  return static_cast<int64_t>(value);
}

}  // namespace

uint32_t id_key_at(Dtype dtype, uint32_t channel, const std::byte* at) {
  return with_dtype(dtype, [&](auto tag) {
    const auto id = static_cast<uint64_t>(to_integer(load<tag.value>(at, channel)));
    // Only 64-bit identifiers have a high word: a negative 32-bit one is not sign-extended into it.
    const uint32_t high = tag.value == Dtype::I64 ? static_cast<uint32_t>(id >> 32) : 0;
    return view_math::id_key(static_cast<uint32_t>(id), high);
  });
}

void view_ids(const FrameDesc& desc, uint32_t channel, bool labels, const std::byte* row,
              const std::vector<AxisTap>& columns, uint8_t* rgba) {
  row += channel_offset(desc, channel);
  // A picture shows few objects, and hashing with its divisions costs more than everything else here.
  struct Known {
    uint32_t key = 0;
    view_math::Rgb8 color{0, 0, 0};
  };
  std::array<Known, 256> known{};
  for (const AxisTap& tap : columns) {
    if (tap.count == 0) {
      std::memset(rgba, 0, 4);
    } else {
      const auto x = static_cast<uint64_t>(tap.first + tap.count / 2);
      const uint32_t key = id_key_at(desc.dtype, channel, row + x * desc.pixel_stride);
      Known& entry = known[key % known.size()];
      if (entry.key != key) entry = {key, labels ? view_math::label_color(key) : view_math::palette(key)};
      rgba[0] = entry.color.r;
      rgba[1] = entry.color.g;
      rgba[2] = entry.color.b;
      rgba[3] = 255;
    }
    rgba += 4;
  }
}

}  // namespace seamscope
