#include "preview/cpu_passes.hpp"

#include "preview/cpu_ingest.hpp"
#include "preview/cpu_view.hpp"
#include "preview/histogram.hpp"
#include "preview/host_output.hpp"

namespace seamscope {

std::string CpuPasses::name() const {
  return "host passes, " + std::to_string(pool_.threads()) + (pool_.threads() == 1 ? " thread" : " threads");
}

Result<FrameStats> CpuPasses::ingest(const OutputRef& output) {
  auto bytes = host_output(output);
  if (!bytes) return bytes.error();
  return cpu_ingest(pool_, bytes->data(), output.desc);
}

Result<void> CpuPasses::view(const OutputRef& output, const ViewParams& params, const FrameStats& stats,
                             Picture& picture) {
  auto bytes = host_output(output);
  if (!bytes) return bytes.error();
  cpu_view(pool_, bytes->data(), output.desc, params, stats, picture);
  return {};
}

Result<Histogram> CpuPasses::histogram(const OutputRef& output, const std::array<double, 2>& span) {
  auto bytes = host_output(output);
  if (!bytes) return bytes.error();
  return cpu_histogram(pool_, bytes->data(), output.desc, span);
}

}  // namespace seamscope
