#include <type_traits>

#include "preview/save.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

// What a stored value becomes in the file.
template <Dtype D>
auto file_value(const std::byte* at, uint32_t channel) {
  if constexpr (D == Dtype::F16)
    return load_as<uint16_t>(at);  // bits: there is no half in C++
  else if constexpr (D == Dtype::RGB10A2)
    return static_cast<uint16_t>(load<D>(at, channel));
  else if constexpr (D == Dtype::D24S8)
    return channel == 0 ? load_as<uint32_t>(at) & 0xFFFFFFu : load_as<uint32_t>(at) >> 24;
  else
    return load<D>(at, channel);
}

std::string descr(Dtype dtype) {
  return with_dtype(dtype, [](auto tag) -> std::string {
    constexpr Dtype D = tag.value;
    using Value = decltype(file_value<D>(nullptr, 0));
    if constexpr (D == Dtype::Bool) return "|b1";
    const char kind = D == Dtype::F16 || std::is_floating_point_v<Value> ? 'f' : std::is_signed_v<Value> ? 'i' : 'u';
    return std::string(sizeof(Value) == 1 ? "|" : "<") + kind + std::to_string(sizeof(Value));
  });
}

std::string shape(const FrameDesc& desc) {
  std::string text = "(" + std::to_string(desc.height) + ", " + std::to_string(desc.width);
  if (desc.channels > 1) text += ", " + std::to_string(desc.channels);
  return text + ")";
}

// Magic, version 1.0, length, and a dictionary padded so that the numbers start at a multiple of 64.
std::string header(const FrameDesc& desc) {
  std::string text = "{'descr': '" + descr(desc.dtype) + "', 'fortran_order': False, 'shape': " + shape(desc) + ", }";
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string start = {'\x93', 'N', 'U', 'M', 'P', 'Y', '\x01', '\x00'};
  start += static_cast<char>(text.size() & 0xFF);
  start += static_cast<char>(text.size() >> 8);
  return start + text;
}

template <Dtype D>
void append_rows(std::span<const std::byte> frame, const FrameDesc& desc, std::vector<uint8_t>& out) {
  using Value = decltype(file_value<D>(nullptr, 0));
  size_t at = out.size();
  out.resize(at + size_t{desc.width} * desc.height * desc.channels * sizeof(Value));
  for (uint32_t y = 0; y < desc.height; ++y)
    for (uint32_t x = 0; x < desc.width; ++x) {
      const std::byte* texel = frame.data() + row_offset(desc, y) + x * desc.pixel_stride;
      for (uint32_t c = 0; c < desc.channels; ++c, at += sizeof(Value)) {
        const Value value = file_value<D>(texel + channel_offset(desc, c), c);
        std::memcpy(out.data() + at, &value, sizeof value);
      }
    }
}

}  // namespace

std::vector<uint8_t> npy_contents(std::span<const std::byte> frame, const FrameDesc& desc) {
  const std::string start = header(desc);
  std::vector<uint8_t> out(start.begin(), start.end());
  with_dtype(desc.dtype, [&](auto tag) { append_rows<tag.value>(frame, desc, out); });
  return out;
}

}  // namespace seamscope
