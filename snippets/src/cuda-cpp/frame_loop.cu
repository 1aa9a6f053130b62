#include <cuda_runtime.h>

#include <cstdint>

#include "../cpp/check_cudart.hpp"
#include "../cpp/cudart_timeline.hpp"
#include "../cpp/double_buffer.hpp"

// snippet: begin seam-producer-loop | Producer of a double buffer: one index, timelines both ways, no CPU wait
// snippet: placeholders FrameProducer
// `render(slot, stream)` enqueues one frame and returns false to skip it.
template <typename Render>
class FrameProducer {
 public:
  FrameProducer(
      DoubleBuffer& buffer, const ImportedTimeline& ready, const ImportedTimeline& released)
      : buffer_(buffer), ready_(ready), released_(released) {}

  void produce(cudaStream_t stream, Render& render) {
    const DoubleBuffer::Slot slot = buffer_.next_write();
    // Write after read: the slot holds frame ready_value - 2 until the reader has released it.
    released_.wait(stream, slot.ready_value > 2 ? slot.ready_value - 2 : 0);
    if (!render(slot.index, stream)) return;  // skipped: index and timeline stay, readers re-see
    ready_.signal(stream, slot.ready_value);  // behind the frame's own work on the same stream
    buffer_.publish();  // after the signal is queued, so that no reader waits for an unqueued value
  }

 private:
  DoubleBuffer& buffer_;  // the only index
  const ImportedTimeline& ready_;
  const ImportedTimeline& released_;
};
// snippet: end

// Instantiated once, so that the compiler sees the members' bodies.
template class FrameProducer<bool (*)(unsigned slot, cudaStream_t stream)>;
