#pragma once
// What one side gives the other so that both see the same memory.

#include <cstdint>

#include "base/unique_fd.hpp"
#include "interop/ledger.hpp"

namespace seamscope::interop {

enum class Resource { Buffer, Image };

// Four bytes a pixel, tightly packed in a buffer; an image is RGBA8 with optimal tiling.
struct FrameShape {
  uint32_t width = 0, height = 0;

  uint32_t words() const { return width * height; }
  uint64_t bytes() const { return uint64_t{words()} * 4; }
};

// An exported allocation on its way: the fd belongs to whoever holds this. A successful import consumes it, and then
// `settled` must say so; on any failure it is closed here.
struct MemoryHandover {
  UniqueFd fd;
  uint64_t size = 0;       // of the whole allocation, which an importer must repeat
  bool dedicated = false;  // the allocation belongs to one buffer or image
  Ledger* ledger = nullptr;
  LedgerId fd_id = 0, exporter = 0;  // in the exporter's ledger; 0 when it came from another process

  void consumed() {
    fd.release();
    if (ledger) ledger->fd_settled(fd_id, FdFate::Consumed);
    ledger = nullptr;
  }
  MemoryHandover() = default;
  MemoryHandover(MemoryHandover&& other) noexcept { *this = std::move(other); }
  MemoryHandover& operator=(MemoryHandover&& other) noexcept {
    std::swap(fd, other.fd);
    std::swap(size, other.size);
    std::swap(dedicated, other.dedicated);
    std::swap(ledger, other.ledger);
    std::swap(fd_id, other.fd_id);
    std::swap(exporter, other.exporter);
    return *this;
  }
  ~MemoryHandover() {
    if (ledger && fd) ledger->fd_settled(fd_id, FdFate::Closed);
  }
};

}  // namespace seamscope::interop
