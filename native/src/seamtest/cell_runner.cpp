#include "seamtest/cell_runner.hpp"

#include "interop/fd_table.hpp"
#include "seamtest/cell_json.hpp"
#include "seamtest/loop.hpp"
#include "seamtest/peer.hpp"
#include "seamtest/side_pair.hpp"

namespace seamscope::seamtest {
namespace {

// The pair's order of destruction is the documented one, so the ledger must be empty and know no violation.
void close_books(CellResult& result, const interop::Ledger& ledger, size_t fds_before) {
  for (const auto& open : ledger.open_handles()) result.open_handles.push_back(open);
  for (const auto& open : ledger.open_fds()) result.open_handles.push_back(open);
  for (const auto& violation : ledger.violations())
    result.open_handles.push_back(violation.released + " was released too early");
  result.fds_left = static_cast<int64_t>(interop::open_fd_count()) - static_cast<int64_t>(fds_before);
}

Result<void> loop_and_check(SidePair& pair, const Cell& cell, CellResult& result) {
  const bool out = cell.direction == Direction::VulkanToPartner;
  Side& vulkan = *pair.vulkan;
  Side& partner = *pair.partner;
  auto looped = run_both(out ? vulkan : partner, out ? partner : vulkan, cell);
  if (!looped) return looped.error();
  result.measurement = looped->measurement;
  result.latencies = std::move(looped->latencies);
  auto matches = (out ? partner : vulkan).matches();
  if (!matches) return matches.error();
  result.measurement.frames_wrong = count_wrong(*matches, cell.shape.words());
  return {};
}

}  // namespace

Result<CellResult> run_in_one_process(Workplace& workplace, const Cell& cell) {
  auto device = workplace.vulkan();
  if (!device) return device.error();
  if (workplace.has_cuda())
    if (auto context = workplace.cuda(); !context) return context.error();
  const size_t fds_before = interop::open_fd_count();
  CellResult result;
  interop::Ledger ledger;
  SidePair pair;
  pair.inverted = cell.ownership == Ownership::Inverted;
  auto vulkan = VulkanSide::create(*device, ledger, cell, !workplace.has_cuda());
  if (!vulkan) return vulkan.error();
  pair.vulkan = std::move(*vulkan);
  auto partner = workplace.make_partner(ledger, cell);
  if (!partner) return partner.error();
  pair.partner = std::move(*partner);
  if (auto done = connect(*pair.vulkan, *pair.partner, cell); !done) return done.error();
  if (auto done = loop_and_check(pair, cell, result); !done) return done.error();
  pair.destroy();
  close_books(result, ledger, fds_before);
  return result;
}

namespace {

using nlohmann::json;

class TwoProcesses {
 public:
  TwoProcesses(Workplace& workplace, const Cell& cell, interop::PeerChannel& link)
      : workplace_(workplace), cell_(cell), link_(link) {}

  Result<CellResult> run() {
    auto device = workplace_.vulkan();
    if (!device) return device.error();
    const size_t fds_before = interop::open_fd_count();
    CellResult result;
    auto vulkan = VulkanSide::create(*device, ledger_, cell_, !workplace_.has_cuda());
    if (!vulkan) return vulkan.error();
    vulkan_ = std::move(*vulkan);
    if (auto done = connect(); !done) return done.error();
    if (auto done = loop(result); !done) return done.error();
    if (auto done = tear_down(result); !done) return done.error();
    close_books(result, ledger_, fds_before);
    return result;
  }

 private:
  Result<json> answer(int timeout_ms, std::vector<UniqueFd>* fds = nullptr) {
    auto message = link_.receive(timeout_ms);
    if (!message) return message.error();
    if (message->body.contains("error")) return error_from_json(message->body["error"]);
    if (fds) *fds = std::move(message->fds);
    return std::move(message->body);
  }

  // Our copies of the descriptors are closed once they have been sent.
  Result<void> send_cell() {
    std::vector<interop::MemoryHandover> own;
    if (cell_.ownership == Ownership::Exporter) {
      auto slots = vulkan_->create_slots();
      if (!slots) return slots.error();
      own = std::move(*slots);
    }
    if (cell_.mode == SyncMode::Timeline) {
      auto timelines = vulkan_->create_timelines();
      if (!timelines) return timelines.error();
      own.push_back(std::move(timelines->ready));
      own.push_back(std::move(timelines->released));
    }
    json list = json::array();
    std::vector<int> fds;
    for (const auto& handover : own) {
      list.push_back({{"size", handover.size}, {"dedicated", handover.dedicated}});
      fds.push_back(handover.fd.get());
    }
    const auto& choice = workplace_.choice();
    json device{{"vulkanUuid", choice.vulkan_uuid}};
    if (choice.cuda_ordinal) device["cudaOrdinal"] = *choice.cuda_ordinal;
    return link_.send({{"cell", to_json(cell_)}, {"device", device}, {"handovers", list}}, fds);
  }

  Result<void> connect() {
    if (auto sent = send_cell(); !sent) return sent;
    std::vector<UniqueFd> fds;
    auto ready = answer(kSetUpMs, &fds);
    if (!ready) return ready.error();
    if (cell_.ownership == Ownership::Exporter) return {};
    const json list = ready->value("handovers", json::array());
    std::vector<interop::MemoryHandover> slots;
    for (size_t i = 0; i < fds.size() && i < list.size(); ++i) {
      interop::MemoryHandover handover;
      handover.fd = std::move(fds[i]);
      handover.size = list[i].value("size", uint64_t{0});
      handover.dedicated = list[i].value("dedicated", false);
      slots.push_back(std::move(handover));
    }
    if (slots.size() != cell_.slots)
      return Error{"The other process sent " + std::to_string(slots.size()) + " descriptors.",
                   "Raise the limit of open descriptors (ulimit -n).", ""};
    return vulkan_->import_slots(std::move(slots));
  }

  Result<void> loop(CellResult& result) {
    if (auto sent = link_.send({{"go", true}}); !sent) return sent;
    const bool out = cell_.direction == Direction::VulkanToPartner;
    auto own = out ? run_producer(*vulkan_, cell_, link_) : run_consumer(*vulkan_, cell_, link_);
    if (!own) return own.error();
    auto theirs = answer(kResultMs);
    if (!theirs) return theirs.error();
    const Measurement other = measurement_from_json(theirs->value("result", json::object()));
    result.measurement = *own;
    result.measurement.add(other);
    if (out) result.measurement.microseconds = other.microseconds;
    if (out) return {};
    auto matches = vulkan_->matches();
    if (!matches) return matches.error();
    result.measurement.frames_wrong += count_wrong(*matches, cell_.shape.words());
    return {};
  }

  // Whoever imports goes before whoever allocated.
  Result<void> tear_down(CellResult& result) {
    if (cell_.ownership == Ownership::Inverted) {
      if (auto sent = link_.send({{"releaseTimelines", true}}); !sent) return sent;
      if (auto released = answer(kResultMs); !released) return released.error();
      vulkan_.reset();
    }
    if (auto sent = link_.send({{"end", true}}); !sent) return sent;
    auto ended = answer(kResultMs);
    if (!ended) return ended.error();
    vulkan_.reset();
    for (const auto& open : ended->value("ended", json::array())) result.open_handles.push_back(open);
    return {};
  }

  Workplace& workplace_;
  const Cell& cell_;
  interop::PeerChannel& link_;
  interop::Ledger ledger_;
  std::unique_ptr<VulkanSide> vulkan_;
};

}  // namespace

Result<CellResult> run_in_two_processes(Workplace& workplace, const Cell& cell, PeerProcess& peer) {
  auto channel = peer.channel();
  if (!channel) return channel.error();
  auto result = TwoProcesses(workplace, cell, **channel).run();
  if (!result) peer.stop();
  return result;
}

json to_json(const CellResult& result, const Cell& cell) {
  const auto& measured = result.measurement;
  json out{{"fdGrowth", measured.fd_growth},
           {"hostCopies", measured.calls.of(interop::CallKind::HostCopy)},
           {"framesWrong", measured.frames_wrong},
           {"importsPerFrame", static_cast<double>(measured.calls.imports()) / cell.frames},
           {"exportsPerFrame", static_cast<double>(measured.calls.exports()) / cell.frames},
           {"usPerFrame", measured.microseconds / cell.frames},
           {"openHandles", result.open_handles},
           {"fdsLeft", result.fds_left}};
  if (!result.latencies.empty())
    out["latencyUs"] = {{"p50", percentile(result.latencies, 50)},
                        {"p95", percentile(result.latencies, 95)},
                        {"p99", percentile(result.latencies, 99)}};
  return out;
}

}  // namespace seamscope::seamtest
