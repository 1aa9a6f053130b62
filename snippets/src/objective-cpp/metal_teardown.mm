#import <Metal/Metal.h>

// snippet: begin seam-metal-teardown | Per-scene and persistent teardown under ARC, with the reason for each place
// snippet: placeholders MetalRenderer
struct MetalRenderer {
  // Persistent: scene-independent and expensive, kept when the scene changes.
  id<MTLDevice> device;
  id<MTLCommandQueue> queue;
  id<MTLComputePipelineState> pipeline;
  id<MTLCommandBuffer> lastSubmitted;
  // Per scene.
  id<MTLAccelerationStructure> topLevel;
  id<MTLAccelerationStructure> bottomLevel;
  id<MTLBuffer> sceneBuffer;

  // Idempotent: assigning nil twice is harmless, and a message to nil does nothing.
  void destroyScene() {
    [lastSubmitted waitUntilCompleted];  // first: the GPU may still trace this scene
    lastSubmitted = nil;
    topLevel = nil;  // before what it instances
    bottomLevel = nil;  // before the buffer that holds its geometry
    sceneBuffer = nil;  // device, queue and pipeline stay: the next scene needs them
  }

  ~MetalRenderer() {
    destroyScene();
    pipeline = nil;  // before the device that compiled it
    queue = nil;  // nothing is in flight any more
    device = nil;  // last: everything above is its child
  }
};
// snippet: end
