#pragma once

#include <memory>
#include <utility>

// snippet: begin seam-inverted-ownership | Teardown order when the consumer owns the memory that the renderer writes
// snippet: placeholders InvertedSeam
// The consumer allocates and exports, the renderer imports: no consumer-side import of renderer
// memory is active, which avoids the slow mode of stream synchronisation.
// Tolerated asymmetry: one slot only. Alternating two caller-owned slots can drop every other
// frame's writes; with one slot the latest write is always the visible one.
template <typename Allocation, typename Renderer>
class InvertedSeam {
 public:
  InvertedSeam(std::unique_ptr<Allocation> frame, std::unique_ptr<Renderer> renderer)
      : frame_(std::move(frame)), renderer_(std::move(renderer)) {}

  // A new size: the renderer lets go of the old memory before that memory is freed.
  void replace(std::unique_ptr<Allocation> frame) {
    renderer_->wait_idle();  // the GPU may still write the old allocation
    renderer_->import_target(frame->export_fd(), frame->size());  // drops the old import
    frame_ = std::move(frame);  // frees the old allocation, now unreferenced
  }

  ~InvertedSeam() {
    renderer_->wait_idle();  // must come first: queued work still writes into frame_
    renderer_.reset();  // must come before frame_: it holds the import of that memory
    frame_.reset();  // last: reversed, the GPU would write to freed memory
  }

 private:
  std::unique_ptr<Allocation> frame_;  // declared first, so destroyed last even without the body
  std::unique_ptr<Renderer> renderer_;
};
// snippet: end
