#pragma once

#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

// snippet: begin seam-finalize-guard | Refuse to rebuild GPU buffers from a CPU mirror that is gone
// snippet: placeholders GeometryMirror
class GeometryMirror {
 public:
  using Upload = std::function<void(const std::vector<float>&)>;

  GeometryMirror(std::vector<float> vertices, Upload upload)
      : vertices_(std::move(vertices)), upload_(std::move(upload)) {
    upload_(vertices_);
  }

  // Drops the CPU copy: the GPU buffer is the only truth from here on.
  void finalize() {
    vertices_ = {};
    finalized_ = true;
  }

  // A spurious rebuild after finalize() would upload nothing over correct state: refuse it.
  void rebuild() {
    if (finalized_) throw std::logic_error("rebuild after finalize: the vertices are gone");
    upload_(vertices_);
  }

 private:
  std::vector<float> vertices_;
  Upload upload_;
  bool finalized_ = false;
};
// snippet: end
