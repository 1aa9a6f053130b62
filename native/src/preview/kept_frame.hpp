#pragma once
// One output of a frame in host memory: copied, so that the producer's own memory is free again, or the frame itself
// where it has memory of its own.

#include <memory>

#include "preview/frame_source.hpp"

namespace seamscope {

class KeptFrame final : public Frame {
 public:
  // Error when the output cannot be read, or there is not enough memory.
  static Result<std::shared_ptr<const KeptFrame>> keep(std::shared_ptr<const Frame> frame, uint32_t output,
                                                       const FrameDesc& desc, double produced_at);
  ~KeptFrame() override;
  KeptFrame(const KeptFrame&) = delete;
  KeptFrame& operator=(const KeptFrame&) = delete;

  // Host memory of all kept frames that are alive, in bytes.
  static uint64_t total_bytes();

  uint64_t bytes() const { return size_; }
  uint32_t output() const { return output_; }

  uint64_t number() const override { return number_; }
  bool has(uint32_t output) const override { return output == output_; }
  Result<std::span<const std::byte>> host_bytes(uint32_t output) const override;
  const FrameDesc* desc(uint32_t output) const override { return has(output) ? &desc_ : nullptr; }
  double produced_at() const override { return produced_at_; }
  double handoff_ms() const override { return handoff_; }
  uint64_t skipped() const override { return skipped_; }

 private:
  KeptFrame(std::shared_ptr<const Frame> frame, uint32_t output, const FrameDesc& desc, double produced_at,
            std::span<const std::byte> bytes);

  uint64_t number_, skipped_;
  uint32_t output_;
  FrameDesc desc_;
  double produced_at_, handoff_;
  uint64_t size_;
  std::shared_ptr<const Frame> frame_;  // whose memory it is; nullptr: it is a copy
  std::unique_ptr<std::byte[]> copy_;
  const std::byte* bytes_;
};

}  // namespace seamscope
