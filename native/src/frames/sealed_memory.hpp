#pragma once
// Memory of another process that can neither shrink nor grow under our hands: a memfd with the seals for both. Without
// them a read could end this process (SIGBUS).

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace seamscope::frames {

class SealedMemory {
 public:
  // Maps the whole of it. The error says which seal or how many bytes are missing, or that it is no memfd.
  static Result<SealedMemory> map(UniqueFd fd, uint64_t least_bytes, bool writable);
  SealedMemory(SealedMemory&& other) noexcept { *this = std::move(other); }
  SealedMemory& operator=(SealedMemory&& other) noexcept;
  SealedMemory(const SealedMemory&) = delete;
  SealedMemory& operator=(const SealedMemory&) = delete;
  ~SealedMemory();

  std::byte* data() const { return data_; }
  uint64_t size() const { return size_; }

 private:
  SealedMemory() = default;

  std::byte* data_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace seamscope::frames
