#include "seamtest/probes.hpp"

#include "seamtest/cuda_side.hpp"
#include "seamtest/loop.hpp"
#include "seamtest/side_pair.hpp"

namespace seamscope::seamtest {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

template <typename Step>
Result<double> average(Side& side, uint32_t frames, Step step) {
  if (auto done = step(1); !done) return done.error();
  if (auto done = side.wait_done(1); !done) return done.error();
  const auto start = Clock::now();
  for (uint64_t frame = 2; frame <= frames; ++frame)
    if (auto done = step(frame); !done) return done.error();
  if (auto done = side.wait_done(frames); !done) return done.error();
  return microseconds_since(start) / (frames - 1);
}

struct SyncCase {
  uint32_t imports;
  Ownership ownership;
  bool vulkan_imports;  // the other side really holds an import
};

Result<json> time_stream_sync(Workplace& workplace, const Cell& base, const SyncCase& which) {
  Cell cell = base;
  cell.ownership = which.ownership;
  cell.slots = std::max(1u, which.imports);
  auto device = workplace.vulkan();
  if (!device) return device.error();
  auto context = workplace.cuda();
  if (!context) return context.error();
  interop::Ledger ledger;
  SidePair pair;
  pair.inverted = cell.ownership == Ownership::Inverted;
  auto vulkan = VulkanSide::create(*device, ledger, cell, false);
  if (!vulkan) return vulkan.error();
  pair.vulkan = std::move(*vulkan);
  auto made = CudaSide::create(*context, ledger, cell);
  if (!made) return made.error();
  CudaSide& cuda = **made;
  pair.partner = std::move(*made);
  if (which.vulkan_imports || which.imports) {
    if (auto done = connect(*pair.vulkan, cuda, cell); !done) return done.error();
  } else if (auto own = cuda.allocate_slots(1); !own) {
    return own.error();
  }
  std::vector<double> times;
  for (uint64_t frame = 1; frame <= cell.total_frames(); ++frame) {
    if (auto done = cuda.check(0, frame, frame, {}); !done) return done.error();
    const auto start = Clock::now();
    if (auto done = cuda.synchronize(); !done) return done.error();
    times.push_back(microseconds_since(start));
  }
  return json{{"imports", which.imports},
              {"ownership", which.ownership == Ownership::Exporter ? "exporter" : "inverted"},
              {"p50Us", percentile(times, 50)},
              {"p99Us", percentile(times, 99)}};
}

}  // namespace

Result<json> measure_alone(Workplace& workplace, const Cell& cell) {
  auto device = workplace.vulkan();
  if (!device) return device.error();
  interop::Ledger ledger;
  SidePair pair;
  auto vulkan = VulkanSide::create(*device, ledger, cell, !workplace.has_cuda());
  if (!vulkan) return vulkan.error();
  pair.vulkan = std::move(*vulkan);
  if (auto slots = pair.vulkan->create_slots(); !slots) return slots.error();
  auto partner = workplace.make_partner(ledger, cell);
  if (!partner) return partner.error();
  pair.partner = std::move(*partner);
  if (auto slots = pair.partner->allocate_slots(cell.slots); !slots) return slots.error();
  const auto slot = [&](uint64_t frame) { return static_cast<uint32_t>(frame % cell.slots); };
  auto vulkan_us = average(*pair.vulkan, cell.total_frames(),
                           [&](uint64_t frame) { return pair.vulkan->write(slot(frame), frame, {}); });
  if (!vulkan_us) return vulkan_us.error();
  auto partner_us = average(*pair.partner, cell.total_frames(),
                            [&](uint64_t frame) { return pair.partner->check(slot(frame), frame, frame, {}); });
  if (!partner_us) return partner_us.error();
  return json{{"vulkanUs", *vulkan_us}, {"partnerUs", *partner_us}};
}

Result<json> measure_stream_sync(Workplace& workplace, const Cell& cell) {
  if (!workplace.has_cuda()) return json{{"skipped", "The host consumer has no stream to synchronise."}};
  constexpr SyncCase kCases[] = {{0, Ownership::Inverted, false},
                                 {1, Ownership::Exporter, false},
                                 {8, Ownership::Exporter, false},
                                 {8, Ownership::Inverted, true}};
  json rows = json::array();
  for (const auto& which : kCases) {
    auto row = time_stream_sync(workplace, cell, which);
    if (!row) return row.error();
    rows.push_back(*row);
  }
  return json{{"rows", rows}};
}

}  // namespace seamscope::seamtest
