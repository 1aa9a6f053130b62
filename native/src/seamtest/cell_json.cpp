#include "seamtest/cell_json.hpp"

namespace seamscope::seamtest {
namespace {

constexpr uint32_t kMostSlots = 32, kMostFrames = 10'000'000, kMostSide = 16384;

bool in_range(const Cell& cell) {
  return cell.slots >= 1 && cell.slots <= kMostSlots && cell.frames >= 1 && cell.frames <= kMostFrames &&
         cell.warmup <= kMostFrames && cell.latency_frames <= kMostFrames && cell.shape.width >= 1 &&
         cell.shape.width <= kMostSide && cell.shape.height >= 1 && cell.shape.height <= kMostSide &&
         (cell.processes == 1 || cell.processes == 2);
}

}  // namespace

nlohmann::json to_json(const Cell& cell) {
  return {{"mode", cell.mode == SyncMode::Fence ? "fence" : "timeline"},
          {"slots", cell.slots},
          {"ownership", cell.ownership == Ownership::Exporter ? "exporter" : "inverted"},
          {"processes", cell.processes},
          {"direction", cell.direction == Direction::VulkanToPartner ? "vulkan-to-partner" : "partner-to-vulkan"},
          {"resource", cell.resource == Resource::Buffer ? "buffer" : "image"},
          {"frames", cell.frames},
          {"warmup", cell.warmup},
          {"latencyFrames", cell.latency_frames},
          {"width", cell.shape.width},
          {"height", cell.shape.height}};
}

Result<Cell> cell_from_json(const nlohmann::json& json) {
  Cell cell;
  cell.mode = json.value("mode", "fence") == "timeline" ? SyncMode::Timeline : SyncMode::Fence;
  cell.slots = json.value("slots", cell.slots);
  cell.ownership = json.value("ownership", "exporter") == "inverted" ? Ownership::Inverted : Ownership::Exporter;
  cell.processes = json.value("processes", cell.processes);
  const bool out = json.value("direction", "vulkan-to-partner") == "vulkan-to-partner";
  cell.direction = out ? Direction::VulkanToPartner : Direction::PartnerToVulkan;
  cell.resource = json.value("resource", "buffer") == "image" ? Resource::Image : Resource::Buffer;
  cell.frames = json.value("frames", cell.frames);
  cell.warmup = json.value("warmup", cell.warmup);
  cell.latency_frames = json.value("latencyFrames", cell.latency_frames);
  cell.shape = {json.value("width", 320u), json.value("height", 180u)};
  if (!in_range(cell))
    return Error{"A run of the seam test is out of range: " + json.dump() + ".",
                 "Use 1 to 32 slots, 1 to 10000000 frames and at most 16384 pixels a side.", ""};
  return cell;
}

nlohmann::json to_json(const Error& error) {
  return {{"message", error.message}, {"nextStep", error.next_step}, {"detail", error.detail}};
}

Error error_from_json(const nlohmann::json& json) {
  return Error{json.value("message", "The other process failed."), json.value("nextStep", ""),
               json.value("detail", "")};
}

}  // namespace seamscope::seamtest
