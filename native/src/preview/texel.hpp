#pragma once
// Reads one stored number of a frame. `load<D>` is the inner call of every loop; `with_dtype` picks the loop once.

#include <cstring>
#include <type_traits>

#include "preview/decode.hpp"
#include "preview/frame.hpp"

namespace seamscope {

template <Dtype D>
using DtypeTag = std::integral_constant<Dtype, D>;

// Calls use(DtypeTag<D>{}) with the static value of `dtype`.
template <typename Use>
auto with_dtype(Dtype dtype, Use&& use) {
  switch (dtype) {
    case Dtype::Bool:
      return use(DtypeTag<Dtype::Bool>{});
    case Dtype::U8:
      return use(DtypeTag<Dtype::U8>{});
    case Dtype::I8:
      return use(DtypeTag<Dtype::I8>{});
    case Dtype::U16:
      return use(DtypeTag<Dtype::U16>{});
    case Dtype::I16:
      return use(DtypeTag<Dtype::I16>{});
    case Dtype::U32:
      return use(DtypeTag<Dtype::U32>{});
    case Dtype::I32:
      return use(DtypeTag<Dtype::I32>{});
    case Dtype::I64:
      return use(DtypeTag<Dtype::I64>{});
    case Dtype::F16:
      return use(DtypeTag<Dtype::F16>{});
    case Dtype::BF16:
      return use(DtypeTag<Dtype::BF16>{});
    case Dtype::F32:
      return use(DtypeTag<Dtype::F32>{});
    case Dtype::F64:
      return use(DtypeTag<Dtype::F64>{});
    case Dtype::R11G11B10F:
      return use(DtypeTag<Dtype::R11G11B10F>{});
    case Dtype::RGB10A2:
      return use(DtypeTag<Dtype::RGB10A2>{});
    case Dtype::D24S8:
      break;
  }
  return use(DtypeTag<Dtype::D24S8>{});
}

template <typename T>
T load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

constexpr bool is_packed(Dtype dtype) {
  return dtype == Dtype::R11G11B10F || dtype == Dtype::RGB10A2 || dtype == Dtype::D24S8;
}

// Bytes of one stored number; of the whole texel for packed formats.
constexpr uint64_t dtype_size(Dtype dtype) {
  switch (dtype) {
    case Dtype::Bool:
    case Dtype::U8:
    case Dtype::I8:
      return 1;
    case Dtype::U16:
    case Dtype::I16:
    case Dtype::F16:
    case Dtype::BF16:
      return 2;
    case Dtype::I64:
    case Dtype::F64:
      return 8;
    default:
      return 4;
  }
}

// The stored value of `channel`, at `at`: the number's own address, or the texel's for packed formats. Exact but for
// D24's division.
template <Dtype D>
auto load(const std::byte* at, [[maybe_unused]] uint32_t channel) {
  if constexpr (D == Dtype::Bool) return static_cast<uint8_t>(*at != std::byte{0});
  if constexpr (D == Dtype::U8) return load_as<uint8_t>(at);
  if constexpr (D == Dtype::I8) return load_as<int8_t>(at);
  if constexpr (D == Dtype::U16) return load_as<uint16_t>(at);
  if constexpr (D == Dtype::I16) return load_as<int16_t>(at);
  if constexpr (D == Dtype::U32) return load_as<uint32_t>(at);
  if constexpr (D == Dtype::I32) return load_as<int32_t>(at);
  if constexpr (D == Dtype::I64) return load_as<int64_t>(at);
  if constexpr (D == Dtype::F16) return decode::f16(load_as<uint16_t>(at));
  if constexpr (D == Dtype::BF16) return decode::bf16(load_as<uint16_t>(at));
  if constexpr (D == Dtype::F32) return load_as<float>(at);
  if constexpr (D == Dtype::F64) return load_as<double>(at);
  if constexpr (D == Dtype::R11G11B10F) return decode::r11g11b10f(load_as<uint32_t>(at), channel);
  if constexpr (D == Dtype::RGB10A2) return decode::rgb10a2(load_as<uint32_t>(at), channel);
  if constexpr (D == Dtype::D24S8) {
    const auto texel = load_as<uint32_t>(at);
    return channel == 0 ? decode::d24(texel) : static_cast<float>(decode::s8(texel));
  }
}

// Offset of channel `channel` from its texel's first byte.
inline uint64_t channel_offset(const FrameDesc& desc, uint32_t channel) {
  return is_packed(desc.dtype) ? 0 : channel * desc.channel_stride;
}

// Offset of the first byte of displayed row `y` (0 at the top).
inline uint64_t row_offset(const FrameDesc& desc, uint32_t y) {
  return (desc.bottom_up ? desc.height - 1 - y : y) * desc.row_stride;
}

// Bytes from the first to behind the last one that the description reaches; 0 when the frame is empty.
inline uint64_t frame_bytes(const FrameDesc& desc) {
  if (desc.width == 0 || desc.height == 0 || desc.channels == 0) return 0;
  return (desc.height - 1) * desc.row_stride + (desc.width - 1) * desc.pixel_stride +
         channel_offset(desc, desc.channels - 1) + dtype_size(desc.dtype);
}

// The same for all images of a batch.
inline uint64_t batch_bytes(const FrameDesc& desc) {
  const uint64_t one = frame_bytes(desc);
  return one == 0 || desc.batches == 0 ? 0 : (desc.batches - 1) * desc.batch_stride + one;
}

// Where image `batch` (or the last one) begins.
inline uint64_t batch_offset(const FrameDesc& desc, uint32_t batch) {
  return desc.batches < 2 ? 0 : (batch < desc.batches ? batch : desc.batches - 1) * desc.batch_stride;
}

}  // namespace seamscope
