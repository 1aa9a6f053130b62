#include "preview/row_filter.hpp"

#include <algorithm>
#include <array>

namespace seamscope {
namespace {

float weight_of(const AxisTap& tap, int32_t i) {
  if (i == 0) return tap.head;
  return i == tap.count - 1 ? tap.tail : 1.0f;
}

// The sum of one pixel's texels, for a fixed number of channels so that the inner loop unrolls.
template <uint32_t kChannels>
void mean_columns(const Columns& columns, const float* sums, float row_weight, float* out) {
  for (const AxisTap& tap : columns.taps) {
    const float* at = sums + (static_cast<uint32_t>(tap.first) - columns.first) * kChannels;
    float total[kChannels] = {};
    for (int32_t i = 0; i < tap.count; ++i, at += kChannels)
      for (uint32_t c = 0; c < kChannels; ++c) total[c] += weight_of(tap, i) * at[c];
    const float scale = tap.count ? 1.0f / (total_weight(tap) * row_weight) : 0.0f;
    for (uint32_t c = 0; c < kChannels; ++c) *out++ = total[c] * scale;
  }
}

// The weighted sum of one row's texels under a pixel, looked up.
template <uint32_t kChannels>
std::array<float, kChannels> sum_bytes(const uint8_t* at, const AxisTap& tap, uint64_t stride, const float* table) {
  std::array<float, kChannels> sum;
  for (uint32_t c = 0; c < kChannels; ++c) sum[c] = tap.head * table[at[c]];
  if (tap.count < 2) return sum;
  for (int32_t i = 2; i < tap.count; ++i) {
    at += stride;
    for (uint32_t c = 0; c < kChannels; ++c) sum[c] += table[at[c]];
  }
  at += stride;
  for (uint32_t c = 0; c < kChannels; ++c) sum[c] += tap.tail * table[at[c]];
  return sum;
}

// Sums and means in one go: bytes are looked up faster than their numbers are stored and read again.
template <uint32_t kChannels>
void mean_byte_columns(const Columns& columns, std::span<const uint8_t* const> rows, const AxisTap& row_tap,
                       uint64_t stride, const float* table, float* out) {
  const float row_weight = total_weight(row_tap);
  for (const AxisTap& tap : columns.taps) {
    std::array<float, kChannels> total{};
    for (size_t r = 0; tap.count && r < rows.size(); ++r) {
      const float weight = weight_of(row_tap, static_cast<int32_t>(r));
      const auto sum = sum_bytes<kChannels>(rows[r] + static_cast<uint32_t>(tap.first) * stride, tap, stride, table);
      for (uint32_t c = 0; c < kChannels; ++c) total[c] += weight * sum[c];
    }
    const float scale = tap.count ? 1.0f / (total_weight(tap) * row_weight) : 0.0f;
    for (uint32_t c = 0; c < kChannels; ++c) *out++ = total[c] * scale;
  }
}

template <uint32_t kChannels>
void copy_columns(const Columns& columns, const float* texels, float* out) {
  for (const AxisTap& tap : columns.taps) {
    const float* at = texels + (tap.count ? static_cast<uint32_t>(tap.first) - columns.first : 0) * kChannels;
    for (uint32_t c = 0; c < kChannels; ++c) *out++ = at[c];
  }
}

}  // namespace

Columns columns_of(std::vector<AxisTap> taps) {
  Columns columns{std::move(taps)};
  uint32_t begin = UINT32_MAX, end = 0;
  for (const AxisTap& tap : columns.taps) {
    if (tap.count == 0) continue;
    begin = std::min(begin, static_cast<uint32_t>(tap.first));
    end = std::max(end, static_cast<uint32_t>(tap.first + tap.count));
    columns.single &= tap.count == 1;
  }
  if (end != 0) columns.first = begin, columns.count = end - begin;
  return columns;
}

RowFilter::RowFilter(const RowDecoder& decoder, const Columns& columns, bool flagged)
    : decoder_(decoder),
      columns_(columns),
      flagged_(flagged),
      sums_(columns.count * decoder.channels()),
      texels_(sums_.size()),
      pixels_(columns.taps.size() * decoder.channels()),
      texel_flags_(columns.count),
      flags_(columns.taps.size()) {}

void RowFilter::row(const std::byte* frame, const AxisTap& rows) {
  if (columns_.count == 0 || rows.count == 0) return;
  if (flagged_) std::fill(texel_flags_.begin(), texel_flags_.end(), uint8_t{0});
  if (rows.count == 1 && columns_.single) {
    decode(frame, static_cast<uint32_t>(rows.first), sums_);
    gather_columns();
  } else if (!mean_bytes(frame, rows)) {
    sum_rows(frame, rows);
    sum_columns(total_weight(rows));
  }
  if (!flagged_) return;
  for (size_t i = 0; i < flags_.size(); ++i) {
    const AxisTap& tap = columns_.taps[i];
    uint8_t all = 0;
    for (int32_t t = 0; t < tap.count; ++t) all |= texel_flags_[static_cast<uint32_t>(tap.first + t) - columns_.first];
    flags_[i] = all;
  }
}

// False: not for this format.
bool RowFilter::mean_bytes(const std::byte* frame, const AxisTap& rows) {
  const float* table = decoder_.byte_table().data();
  const uint32_t channels = decoder_.channels();
  if (!table || (channels != 1 && channels != 3)) return false;
  rows_.clear();
  for (int32_t i = 0; i < rows.count; ++i)
    rows_.push_back(reinterpret_cast<const uint8_t*>(decoder_.row(frame, static_cast<uint32_t>(rows.first + i))));
  const auto mean = channels == 1 ? mean_byte_columns<1> : mean_byte_columns<3>;
  mean(columns_, rows_, rows, decoder_.texel_stride(), table, pixels_.data());
  return true;
}

void RowFilter::sum_rows(const std::byte* frame, const AxisTap& rows) {
  std::fill(sums_.begin(), sums_.end(), 0.0f);
  for (int32_t i = 0; i < rows.count; ++i) add_row(frame, static_cast<uint32_t>(rows.first + i), weight_of(rows, i));
}

void RowFilter::decode(const std::byte* frame, uint32_t y, std::span<float> out) {
  decoder_.decode(frame, y, columns_.first, out);
  if (flagged_) decoder_.take_flags(out, texel_flags_);
  decoder_.take_truth(out);
}

void RowFilter::add_row(const std::byte* frame, uint32_t y, float weight) {
  decode(frame, y, texels_);
  for (size_t i = 0; i < sums_.size(); ++i) sums_[i] += weight * texels_[i];
}

void RowFilter::sum_columns(float row_weight) {
  switch (decoder_.channels()) {
    case 1:
      return mean_columns<1>(columns_, sums_.data(), row_weight, pixels_.data());
    case 2:
      return mean_columns<2>(columns_, sums_.data(), row_weight, pixels_.data());
    case 3:
      return mean_columns<3>(columns_, sums_.data(), row_weight, pixels_.data());
    default:
      return mean_columns<4>(columns_, sums_.data(), row_weight, pixels_.data());
  }
}

void RowFilter::gather_columns() {
  switch (decoder_.channels()) {
    case 1:
      return copy_columns<1>(columns_, sums_.data(), pixels_.data());
    case 2:
      return copy_columns<2>(columns_, sums_.data(), pixels_.data());
    case 3:
      return copy_columns<3>(columns_, sums_.data(), pixels_.data());
    default:
      return copy_columns<4>(columns_, sums_.data(), pixels_.data());
  }
}

}  // namespace seamscope
