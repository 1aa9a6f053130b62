#pragma once
// Ways to publish, as lists of the calls that each makes on the program's thread.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "calls/load.hpp"
#include "calls/ring.hpp"

namespace seamscope::measure {

struct Step {
  const char* call;
  std::function<int()> run;  // 0: done
};

struct Variant {
  std::string name;
  std::vector<Step> steps;
  const char* missing = nullptr;  // what this driver lacks
};

struct Place {
  Driver driver;
  std::shared_ptr<interop::CudaContext> cuda;
  std::unique_ptr<Load> load;
  std::unique_ptr<Ring> ring;
  std::vector<void*> graphs;  // executable, one a slot
  cuda::CUfunction copy_kernel = nullptr;
  double load_ms = 0;  // what loading it took while the GPU was busy for kBusyMs
  static constexpr double kBusyMs = 250;
};

Result<std::unique_ptr<Place>> make_place();

// While the GPU works: a program that keeps it busy must not wait for this.
void load_copy_kernel(Place& place, double frame_ms);

// They hold on to `place`.
std::vector<Variant> make_variants(Place& place);

}  // namespace seamscope::measure
