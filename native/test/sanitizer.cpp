// The sanitized build only. The Vulkan loader unloads lavapipe with the last instance, and the allocations that
// lavapipe's globals still point to would then look like leaks of ours: it is kept loaded.

#if defined(__SANITIZE_ADDRESS__)

#include <dlfcn.h>

namespace {

[[maybe_unused]] void* const pinned = dlopen("libvulkan_lvp.so", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);

}  // namespace

#endif
