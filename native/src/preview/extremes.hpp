#pragma once
// A running FrameStats: what one thread has seen of a frame.

#include <cmath>
#include <limits>

#include "preview/frame.hpp"

namespace seamscope {

struct Extremes {
  double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();
  uint64_t nan = 0, inf = 0, negative = 0;

  void include(double finite) {
    min = finite < min ? finite : min;
    max = finite > max ? finite : max;
  }

  void add(double value) {
    if (std::isnan(value)) {
      ++nan;
    } else if (std::isinf(value)) {
      ++inf;
    } else {
      negative += value < 0;
      include(value);
    }
  }

  void merge(const Extremes& other) {
    min = other.min < min ? other.min : min;
    max = other.max > max ? other.max : max;
    nan += other.nan;
    inf += other.inf;
    negative += other.negative;
  }

  FrameStats stats() const {
    if (min > max) return {0, 0, nan, inf, negative};
    return {min + 0.0, max + 0.0, nan, inf, negative};  // + 0.0 turns -0 into 0
  }
};

}  // namespace seamscope
