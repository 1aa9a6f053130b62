#import <Metal/Metal.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// snippet: begin seam-arc-handles | Handle structs under ARC: new and delete, never malloc, memset or free
// snippet: placeholders SceneHandles
// Holds managed handles, so its bytes belong to ARC: value-initialisation makes them nil, and the
// destructor releases them. memset would overwrite strong references without releasing them.
struct SceneHandles {
  id<MTLBuffer> vertices;
  id<MTLBuffer> instances;
  id<MTLAccelerationStructure> accelerationStructure;
};

static SceneHandles* createSceneHandles() {
  return new SceneHandles();  // the parentheses value-initialise: every id is nil
}

// Idempotent. Release is assignment to nil, not a call.
static void releaseScene(SceneHandles* scene) {
  scene->accelerationStructure = nil;  // before the buffers that it was built from
  scene->instances = nil;
  scene->vertices = nil;
}

static void destroySceneHandles(SceneHandles*& scene) {
  delete scene;  // runs the destructor, which releases what is still held; free() would not
  scene = nullptr;
}
// snippet: end

// snippet: begin seam-arc-pod-memset | Where memset is right under ARC: plain GPU input without managed handles
// snippet: placeholders InstanceInput
// The question is whether the struct holds a managed handle, not whether it is a struct.
struct InstanceInput {
  float transform[12];
  uint32_t mask;
  uint32_t padding[3];
};
static_assert(std::is_trivially_copyable<InstanceInput>::value, "the GPU reads these bytes");

static void clearInstances(InstanceInput* instances, size_t count) {
  std::memset(instances, 0, count * sizeof(InstanceInput));
}
// snippet: end
