#include "seamtest/teardown.hpp"

#include "seamtest/cell_json.hpp"
#include "seamtest/cuda_side.hpp"
#include "seamtest/host_side.hpp"
#include "seamtest/loop.hpp"
#include "seamtest/side_pair.hpp"

namespace seamscope::seamtest {
namespace {

using interop::LedgerId;
using nlohmann::json;

json to_json(const std::vector<interop::LedgerViolation>& violations) {
  json list = json::array();
  for (const auto& violation : violations)
    list.push_back(
        {{"released", violation.released}, {"usedBy", violation.used_by}, {"consequence", violation.consequence}});
  return list;
}

class Teardown {
 public:
  Teardown(Workplace& workplace, const Cell& cell, TeardownOrder order, const EventSink& emit)
      : workplace_(workplace), cell_(cell), order_(order), emit_(emit) {}

  Result<void> run() {
    if (auto built = build(); !built) return built;
    predicted_ = ledger_.predict(planned_order());
    emit_({{"event", "predicted"}, {"violations", to_json(predicted_)}});
    std::string use = "not used afterwards";
    if (order_ == TeardownOrder::OwnerFirst) use = free_owner_and_use();
    if (order_ == TeardownOrder::DeviceFirst) destroy_device();
    step("destroy the rest, importer before allocator");
    pair_.destroy();
    ledger_.release(device_id_);
    emit_({{"event", "teardown"},
           {"use", use},
           {"violations", to_json(ledger_.violations())},
           {"openHandles", ledger_.open_handles()},
           {"validation", workplace_.take_validation_messages()}});
    return {};
  }

 private:
  bool inverted() const { return cell_.ownership == Ownership::Inverted; }
  void step(const char* text) { emit_({{"event", "step"}, {"text", text}}); }

  Result<void> build() {
    auto device = workplace_.vulkan();
    if (!device) return device.error();
    device_ = *device;
    device_id_ = ledger_.acquire("Vulkan", "device");
    pair_.inverted = inverted();
    auto vulkan = VulkanSide::create(device_, ledger_, cell_, !workplace_.has_cuda());
    if (!vulkan) return vulkan.error();
    pair_.vulkan = std::move(*vulkan);
    pair_.vulkan->set_device_id(device_id_);
    auto partner = workplace_.make_partner(ledger_, cell_);
    if (!partner) return partner.error();
    pair_.partner = std::move(*partner);
    if (auto done = connect(*pair_.vulkan, *pair_.partner, cell_); !done) return done;
    auto looped = run_both(*pair_.vulkan, *pair_.partner, cell_);
    if (!looped) return looped.error();
    step("both sides are idle");
    return {};
  }

  std::vector<LedgerId> vulkan_ids() const {
    std::vector<LedgerId> ids;
    for (const auto& slot : pair_.vulkan->slots()) ids.insert(ids.end(), {slot->object_id(), slot->memory_id()});
    return ids;
  }
  std::vector<LedgerId> partner_ids() const {
    std::vector<LedgerId> ids;
    if (auto* cuda = dynamic_cast<CudaSide*>(pair_.partner.get()))
      for (const auto& slot : cuda->slots()) ids.push_back(slot->id());
    if (auto* host = dynamic_cast<HostSide*>(pair_.partner.get()))
      for (const auto& slot : host->slots()) ids.insert(ids.end(), {slot->object_id(), slot->memory_id()});
    return ids;
  }

  // The ledger is asked before any driver is.
  std::vector<LedgerId> planned_order() const {
    auto first = inverted() ? vulkan_ids() : partner_ids(), second = inverted() ? partner_ids() : vulkan_ids();
    if (order_ == TeardownOrder::OwnerFirst) first.swap(second);
    first.insert(first.end(), second.begin(), second.end());
    first.insert(order_ == TeardownOrder::DeviceFirst ? first.begin() : first.end(), device_id_);
    return first;
  }

  // What the importer finds after the allocator has freed: it is used once, as code with this mistake would.
  std::string free_owner_and_use() {
    step(inverted() ? "the partner frees its allocation while Vulkan holds the import"
                    : "Vulkan frees its memory while the partner holds the import");
    if (inverted()) {
      if (auto* cuda = dynamic_cast<CudaSide*>(pair_.partner.get())) cuda->slots()[0]->destroy();
      if (auto* host = dynamic_cast<HostSide*>(pair_.partner.get())) host->slots()[0]->destroy();
    } else {
      pair_.vulkan->slots()[0]->destroy();
    }
    step(inverted() ? "Vulkan writes and reads the memory it imported" : "the partner reads the memory it imported");
    const uint64_t frame = cell_.total_frames();  // slot 0 holds this frame
    Side& user = inverted() ? static_cast<Side&>(*pair_.vulkan) : *pair_.partner;
    auto done = inverted() ? user.write(0, frame, {}) : Result<void>();
    if (done) done = user.wait_done(frame);
    if (done) done = user.check(0, frame, frame, {});
    if (done) done = user.wait_done(frame);
    if (!done) return "the driver answered: " + done.error().message;
    auto matches = user.matches();
    if (!matches) return "the driver answered: " + matches.error().message;
    // The check adds to the count of the loop's own check of that frame, unless that was the other side's.
    const uint32_t words = cell_.shape.words(), found = matches->back();
    const bool right =
        found != 0 && found % words == 0 && (inverted() || dynamic_cast<HostSide*>(&user) || found == 2 * words);
    return right ? "the memory still held the right frame: the driver counts references"
                 : "the memory held " + std::to_string(found) + " right words of " + std::to_string(words);
  }

  void destroy_device() {
    step("the Vulkan device is destroyed before its buffers and memory");
    ledger_.release(device_id_);
    device_->vk().vkDestroyDevice(device_->handle(), nullptr);
    device_->give_up();  // its children's handles are void now
  }

  Workplace& workplace_;
  Cell cell_;
  TeardownOrder order_;
  const EventSink& emit_;
  interop::Ledger ledger_;
  std::shared_ptr<gpu::Device> device_;
  LedgerId device_id_ = 0;
  SidePair pair_;
  std::vector<interop::LedgerViolation> predicted_;
};

}  // namespace

Result<void> run_teardown(Workplace& workplace, const Cell& cell, TeardownOrder order, const EventSink& emit) {
  return Teardown(workplace, cell, order, emit).run();
}

}  // namespace seamscope::seamtest
