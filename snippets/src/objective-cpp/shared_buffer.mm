#import <Metal/Metal.h>

#include <functional>

// snippet: begin seam-uma-shared-buffer | Unified memory: a Shared buffer is the staging buffer, no export and no copy
// snippet: placeholders makeSharedFrame, readWhenComplete
// No external-memory fd on unified memory, on purpose: CPU and GPU see the same bytes already.
static id<MTLBuffer> makeSharedFrame(id<MTLDevice> device, NSUInteger bytes) {
  return [device newBufferWithLength:bytes options:MTLResourceStorageModeShared];
}

// Calls `read` with the frame's bytes once the GPU has written them. Install it before commit.
// A Shared buffer needs no synchronisation blit: that call is for Managed storage and invalid here.
static void readWhenComplete(id<MTLCommandBuffer> commands, id<MTLBuffer> frame,
    std::function<void(const void* bytes, NSUInteger length)> read) {
  [commands addCompletedHandler:^(id<MTLCommandBuffer> finished) {
    if (finished.status != MTLCommandBufferStatusCompleted) return;  // failed: stale bytes
    read(frame.contents, frame.length);  // the block retains the buffer until here
  }];
}
// snippet: end
