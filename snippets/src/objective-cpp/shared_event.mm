#import <Metal/Metal.h>

#include <cstdint>

// snippet: begin seam-shared-event | Timeline both ways on Metal: MTLSharedEvent between producer and consumer queues
// snippet: placeholders encodeProducer, encodeConsumer
// `ready` counts frames that are complete, `released` frames that the consumer has finished with.
// Encoded waits let the GPU wait while the host goes on.
static void encodeProducer(id<MTLCommandBuffer> commands, id<MTLSharedEvent> released,
    id<MTLSharedEvent> ready, uint64_t frame, void (^render)(id<MTLCommandBuffer>)) {
  // Two slots: this frame overwrites frame - 2. Value 0 is reached from the start.
  [commands encodeWaitForEvent:released value:frame > 2 ? frame - 2 : 0];
  render(commands);
  [commands encodeSignalEvent:ready value:frame];  // grows by one with each frame
  [commands commit];
}

static void encodeConsumer(id<MTLCommandBuffer> commands, id<MTLSharedEvent> ready,
    id<MTLSharedEvent> released, uint64_t frame, void (^consume)(id<MTLCommandBuffer>)) {
  [commands encodeWaitForEvent:ready value:frame];
  consume(commands);
  [commands encodeSignalEvent:released value:frame];
  [commands commit];
}
// snippet: end
