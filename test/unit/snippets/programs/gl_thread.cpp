// GL first, then Vulkan, then all GL work on one thread, with the main thread's GL state left alone.

#include "gl_thread.hpp"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <cstring>
#include <thread>
#include <vector>

#include "egl_first.hpp"
#include "expect.hpp"

namespace {

EGLDisplay surfaceless_display() {
  const char* extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  if (!extensions || !std::strstr(extensions, "EGL_MESA_platform_surfaceless")) return EGL_NO_DISPLAY;
  return eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
}

void work_runs_in_order_on_one_thread_with_the_context(EGLDisplay display, EGLContext context) {
  std::vector<int> order;
  std::vector<std::thread::id> threads;
  {
    GlThread gl(display, context);
    for (int i = 0; i < 50; ++i)
      gl.run([&, i] {
        order.push_back(i);
        threads.push_back(std::this_thread::get_id());
        EXPECT(eglGetCurrentContext() == context);
      });
    EXPECT(throws<std::runtime_error>([&] { gl.run([] { throw std::runtime_error("GL error"); }).get(); }));
    EXPECT(eglGetCurrentContext() == EGL_NO_CONTEXT);  // nothing became current on this thread
  }
  EXPECT(order.size() == 50);  // the destructor runs what is queued
  for (int i = 0; i < 50; ++i) EXPECT(order[i] == i && threads[i] == threads[0]);
  EXPECT(threads[0] != std::this_thread::get_id());
}

void context_that_is_current_elsewhere_is_refused(EGLDisplay display, EGLContext context) {
  EXPECT(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE);
  EXPECT(throws<std::runtime_error>([&] { GlThread gl(display, context); }));
  eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

}  // namespace

int main() {
  const EGLDisplay display = surfaceless_display();
  if (display == EGL_NO_DISPLAY) return skipped("no surfaceless EGL display");
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  const GlThenVulkan both(display, info);
  // Keeps the Vulkan driver loaded until the leak check has followed the pointers in its statics.
  static VkInstance kept = VK_NULL_HANDLE;
  check(vkCreateInstance(&info, nullptr, &kept), "vkCreateInstance");
  work_runs_in_order_on_one_thread_with_the_context(display, both.context);
  context_that_is_current_elsewhere_is_refused(display, both.context);
  work_runs_in_order_on_one_thread_with_the_context(display, both.context);  // it was given back
  return 0;
}
