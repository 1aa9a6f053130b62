// Settings of the sanitized build. Lavapipe (Mesa 22.3) leaks 128 bytes an instance; the Vulkan loader has unloaded it by the time leaks
// are counted, so it is kept loaded here for the report to know whose they are, and only its own leaks are passed over.

#if defined(__SANITIZE_ADDRESS__)

#include <dlfcn.h>

namespace {

[[maybe_unused]] void* const pinned = dlopen("libvulkan_lvp.so", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);

}  // namespace

extern "C" const char* __lsan_default_suppressions();
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libvulkan_lvp.so\n";
}

#endif
