#pragma once
// A frame of one output that was worked out from others.

#include <utility>

#include "preview/frame_source.hpp"

namespace seamscope {

class DerivedFrame final : public Frame {
 public:
  DerivedFrame(uint64_t number, uint32_t output, const FrameDesc& desc, std::vector<std::byte> bytes)
      : number_(number), output_(output), desc_(desc), bytes_(std::move(bytes)) {}

  uint64_t number() const override { return number_; }
  bool has(uint32_t output) const override { return output == output_; }
  Result<std::span<const std::byte>> host_bytes(uint32_t) const override { return std::span<const std::byte>(bytes_); }
  const FrameDesc* desc(uint32_t) const override { return &desc_; }

 private:
  uint64_t number_;
  uint32_t output_;
  FrameDesc desc_;
  std::vector<std::byte> bytes_;
};

}  // namespace seamscope
