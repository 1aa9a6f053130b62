#include "cuda_kernels.hpp"

#include <cstring>

#include "gpu_queue.hpp"
#include "seamtest/pattern.hpp"

namespace doubles {
namespace {

using seamscope::seamtest::count_matches;
using seamscope::seamtest::write_pattern;

template <typename T>
T parameter(void** parameters, int index) {
  return *static_cast<T*>(parameters[index]);
}

unsigned* words_of_surface(void** parameters) {
  return reinterpret_cast<Array*>(parameter<unsigned long long>(parameters, 0))->words;
}

void write_linear(void** p) {
  write_pattern(parameter<unsigned*>(p, 0), parameter<unsigned>(p, 1), parameter<unsigned>(p, 2));
}
void check_linear(void** p) {
  *parameter<unsigned*>(p, 3) +=
      count_matches(parameter<unsigned*>(p, 0), parameter<unsigned>(p, 1), parameter<unsigned>(p, 2));
}
void write_surface(void** p) {
  write_pattern(words_of_surface(p), parameter<unsigned>(p, 2), parameter<unsigned>(p, 3));
}
void check_surface(void** p) {
  *parameter<unsigned*>(p, 4) +=
      count_matches(words_of_surface(p), parameter<unsigned>(p, 2), parameter<unsigned>(p, 3));
}

// What kernels/render_load.cu draws after no round of arithmetic.
void render_load(void** p) {
  auto* image = parameter<unsigned*>(p, 0);
  const auto* before = parameter<const unsigned*>(p, 1);
  const auto width = parameter<unsigned>(p, 2), height = parameter<unsigned>(p, 3), frame = parameter<unsigned>(p, 5);
  for (unsigned y = 0; y < height; ++y)
    for (unsigned x = 0; x < width; ++x) {
      const unsigned left = before[y * width + (x + width - 1) % width];
      const unsigned above = before[(y + height - 1) % height * width + x];
      image[y * width + x] = 0xFF000000u | (frame & 255u) << 16 | (above & 0xFF00u) | (left & 255u);
    }
}

// As kernels/publish_copy.cu: on the queue, as copies are.
void publish_copy(void** p) {
  auto *to = parameter<char*>(p, 0), *from = parameter<char*>(p, 1);
  const auto bytes = parameter<unsigned long long>(p, 2);
  auto* flag = parameter<unsigned*>(p, 4);
  const auto value = parameter<unsigned>(p, 5);
  put_on_gpu([=] {
    std::memcpy(to, from, bytes);
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
  });
}

constexpr Kernel kKernels[] = {{"publish_copy", publish_copy},        {"seam_write_linear", write_linear},
                               {"seam_check_linear", check_linear},   {"seam_write_surface", write_surface},
                               {"seam_check_surface", check_surface}, {"render_load", render_load}};

}  // namespace

const Kernel* find_kernel(const char* name) {
  for (const auto& kernel : kKernels)
    if (std::strcmp(kernel.name, name) == 0) return &kernel;
  return nullptr;
}

}  // namespace doubles
