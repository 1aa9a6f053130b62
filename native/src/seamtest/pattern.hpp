#pragma once
// The frame pattern, the same as in kernels/seam.cu and shaders/seam_pattern.glsl: differs in every word between any
// two frames.

#include <cstdint>

namespace seamscope::seamtest {

inline uint32_t pattern(uint32_t index, uint32_t frame) {
  return (index ^ (frame * 0x9E3779B9u)) * 0x85EBCA6Bu;
}

inline void write_pattern(uint32_t* words, uint32_t count, uint32_t frame) {
  for (uint32_t i = 0; i < count; ++i) words[i] = pattern(i, frame);
}

// How many words carry the frame.
inline uint32_t count_matches(const uint32_t* words, uint32_t count, uint32_t frame) {
  uint32_t matches = 0;
  for (uint32_t i = 0; i < count; ++i) matches += words[i] == pattern(i, frame);
  return matches;
}

}  // namespace seamscope::seamtest
