#pragma once
// Extremes and counts of densely stored numbers, 16 bytes at a time. Lane i of a vector always holds channel i %
// period, so alpha or padding is left out once at the end instead of at every number.

#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include "preview/extremes.hpp"

namespace seamscope {

// `Bits` is the stored integer; `kInf` the bits of infinity for floats, 0 for integers.
template <typename Bits, std::make_unsigned_t<Bits> kInf, double (*kValue)(Bits)>
class LaneStats {
  static constexpr size_t kLanes = 16 / sizeof(Bits);
  static constexpr bool kFloat = kInf != 0;
  static constexpr Bits kLowest = std::numeric_limits<Bits>::min(), kHighest = std::numeric_limits<Bits>::max();
  using Signed = std::make_signed_t<Bits>;
  typedef Bits Vector __attribute__((vector_size(16)));
  typedef Signed Counts __attribute__((vector_size(16)));

 public:
  // `period` divides the number of lanes.
  LaneStats(uint32_t period, uint32_t measured) : period_(period), measured_(measured) {}

  void row(const std::byte* numbers, size_t count) {
    size_t i = 0;
    while (i + kLanes <= count) {
      // A lane counter must not overflow: at most as many vectors as it can count.
      const size_t vectors = std::min<size_t>((count - i) / kLanes, std::numeric_limits<Signed>::max());
      block(numbers + i * sizeof(Bits), vectors);
      i += vectors * kLanes;
    }
    for (; i < count; ++i) {
      Bits bits;
      std::memcpy(&bits, numbers + i * sizeof(Bits), sizeof bits);
      if (i % period_ < measured_) tail_.add(kValue(bits));
    }
  }

  Extremes result() const {
    Extremes all = tail_;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      if (lane % period_ >= measured_) continue;
      all.nan += nan_[lane];
      all.inf += inf_[lane];
      all.negative += negative_[lane];
      if (low_[lane] > high_[lane]) continue;
      all.include(kValue(unordered(low_[lane])));
      all.include(kValue(unordered(high_[lane])));
    }
    return all;
  }

 private:
  // Floats compare like integers once the magnitude bits of negative ones are inverted; the function is its own
  // inverse.
  template <typename T>
  static T ordered(T bits) {
    if constexpr (kFloat)
      return bits ^ ((bits >> (sizeof(Bits) * 8 - 1)) & kHighest);
    else
      return bits;
  }
  static Bits unordered(Bits key) {
    // Through int: narrow integers are promoted by the operators.
    return static_cast<Bits>(ordered<Signed>(static_cast<Signed>(key)));
  }

  void block(const std::byte* numbers, size_t vectors) {
    Vector low = low_, high = high_;
    Counts nan{}, special{}, negative{};
    for (size_t v = 0; v < vectors; ++v) {
      Vector bits;
      std::memcpy(&bits, numbers + v * 16, 16);
      Vector key_low = ordered(bits), key_high = key_low;
      if constexpr (kFloat) {
        const Vector magnitude = bits & kHighest;
        const Counts is_special = magnitude >= static_cast<Bits>(kInf);
        special += is_special;
        nan += magnitude > static_cast<Bits>(kInf);
        negative += (bits < 0) & (magnitude != 0) & ~is_special;
        key_low = (key_low & ~is_special) | (is_special & kHighest);
        key_high = (key_high & ~is_special) | (is_special & kLowest);
      } else if constexpr (std::is_signed_v<Bits>) {
        negative += bits < 0;
      }
      low = low < key_low ? low : key_low;
      high = high > key_high ? high : key_high;
    }
    low_ = low;
    high_ = high;
    // Comparisons yield -1.
    for (size_t lane = 0; lane < kLanes; ++lane) {
      nan_[lane] += static_cast<uint64_t>(-nan[lane]);
      inf_[lane] += static_cast<uint64_t>(nan[lane] - special[lane]);
      negative_[lane] += static_cast<uint64_t>(-negative[lane]);
    }
  }

  static Vector filled(Bits value) { return Vector{} + value; }

  uint32_t period_, measured_;
  Vector low_ = filled(kHighest), high_ = filled(kLowest);
  std::array<uint64_t, kLanes> nan_{}, inf_{}, negative_{};
  Extremes tail_;
};

}  // namespace seamscope
