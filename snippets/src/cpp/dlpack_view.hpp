#pragma once

#include <dlpack/dlpack.h>

#include <array>
#include <cstdint>
#include <memory>

// snippet: begin seam-dlpack-view | DLPack view of renderer-owned memory: the deleter never frees pixels
// snippet: placeholders make_view
// The renderer owns the pixels and outlives every view; the view owns only its own description.
struct FrameView {
  DLManagedTensor managed{};
  std::array<int64_t, 3> shape{};  // height, width, channels
  std::array<int64_t, 3> strides{};  // in elements; never null: DLPack 1.2 forbids that
};

// `row_pitch` is in bytes. Pass the result to one consumer, which calls its deleter once.
inline DLManagedTensor* make_view(
    void* pixels, int cuda_ordinal, int64_t height, int64_t width, int64_t row_pitch) {
  auto view = std::make_unique<FrameView>();
  view->shape = {height, width, 4};
  view->strides = {row_pitch, 4, 1};  // one byte an element, so bytes and elements agree
  DLTensor& tensor = view->managed.dl_tensor;
  tensor.data = pixels;
  tensor.device.device_type = kDLCUDA;
  tensor.device.device_id = cuda_ordinal;  // the ordinal after CUDA_VISIBLE_DEVICES
  tensor.ndim = 3;
  tensor.dtype = {kDLUInt, 8, 1};
  tensor.shape = view->shape.data();
  tensor.strides = view->strides.data();
  view->managed.manager_ctx = view.get();
  // Frees the description. Freeing `data` here would take the frame away from the renderer.
  view->managed.deleter = [](DLManagedTensor* self) {
    delete static_cast<FrameView*>(self->manager_ctx);
  };
  return &view.release()->managed;
}
// snippet: end
