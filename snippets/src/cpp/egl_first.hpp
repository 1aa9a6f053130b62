#pragma once

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <vulkan/vulkan.h>

#include <stdexcept>

#include "check_vulkan.hpp"

// snippet: begin seam-egl-first | EGL context before Vulkan in one process, to be reused by the renderer
// snippet: placeholders GlThenVulkan
// The NVIDIA driver may refuse a fresh EGL context once Vulkan's window-system part is loaded: so
// GL comes first, and the renderer reuses this context instead of making another one later.
class GlThenVulkan {
 public:
  GlThenVulkan(EGLDisplay display, const VkInstanceCreateInfo& instance_info)
      : GlThenVulkan(display) {
    EGLint major = 0, minor = 0;
    if (!eglInitialize(display_, &major, &minor)) throw std::runtime_error("eglInitialize failed");
    const EGLint wanted[] = {
        EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (!eglChooseConfig(display_, wanted, &config, 1, &count) || count == 0)
      throw std::runtime_error("no EGL configuration for off-screen OpenGL");
    eglBindAPI(EGL_OPENGL_API);
    context = eglCreateContext(display_, config, EGL_NO_CONTEXT, nullptr);
    if (context == EGL_NO_CONTEXT) throw std::runtime_error("eglCreateContext failed");
    check(vkCreateInstance(&instance_info, nullptr, &instance), "vkCreateInstance");
  }
  GlThenVulkan(const GlThenVulkan&) = delete;
  GlThenVulkan& operator=(const GlThenVulkan&) = delete;
  ~GlThenVulkan() {
    if (instance) vkDestroyInstance(instance, nullptr);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display_, context);
  }  // the display stays initialised: the embedder may share it

  EGLContext context = EGL_NO_CONTEXT;
  VkInstance instance = VK_NULL_HANDLE;

 private:
  explicit GlThenVulkan(EGLDisplay display) : display_(display) {}
  EGLDisplay display_;
};
// snippet: end
