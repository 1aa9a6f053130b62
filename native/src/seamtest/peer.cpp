#include "seamtest/peer.hpp"

#include <poll.h>

#include "seamtest/cell_json.hpp"
#include "seamtest/loop.hpp"

namespace seamscope::seamtest {
namespace {

constexpr int kIdleMs = 3'600'000;

using nlohmann::json;

class Peer {
 public:
  explicit Peer(interop::PeerChannel channel) : channel_(std::move(channel)) {}

  int serve() {
    for (;;) {
      auto request = channel_.receive(kIdleMs);
      if (!request) return 0;  // the other process has gone
      if (!request->body.contains("cell")) continue;
      if (auto done = run(*request); !done)
        if (!channel_.send({{"error", to_json(done.error())}})) return 1;
    }
  }

 private:
  Result<void> run(interop::PeerMessage& request) {
    auto cell = cell_from_json(request.body["cell"]);
    if (!cell) return cell.error();
    open(request.body["device"]);
    interop::Ledger ledger;
    auto partner = workplace_->make_partner(ledger, *cell);
    if (!partner) return partner.error();
    if (auto done = connect(**partner, *cell, request); !done) return done;
    auto go = channel_.receive(kSetUpMs);
    if (!go) return go.error();
    if (!go->body.contains("go")) return {};  // the other side gave up: tear down
    auto measured = cell->direction == Direction::VulkanToPartner ? run_consumer(**partner, *cell, channel_)
                                                                  : run_producer(**partner, *cell, channel_);
    if (!measured) return measured.error();
    if (cell->direction == Direction::VulkanToPartner) {
      auto matches = (*partner)->matches();
      if (!matches) return matches.error();
      measured->frames_wrong = count_wrong(*matches, cell->shape.words());
    }
    if (auto sent = channel_.send({{"result", to_json(*measured)}}); !sent) return sent;
    if (auto done = wait_for_turn(**partner); !done) return done;
    partner->reset();
    return channel_.send({{"ended", ledger.open_handles()}});
  }

  // Whoever imports goes first: the other side says when it is our turn, and before that, when its timelines go.
  Result<void> wait_for_turn(Partner& partner) {
    auto next = channel_.receive(kResultMs);
    if (next && next->body.contains("releaseTimelines")) {
      partner.release_timelines();
      if (auto sent = channel_.send({{"released", true}}); !sent) return sent;
      next = channel_.receive(kResultMs);
    }
    if (!next) return next.error();
    return {};
  }

  // A run on other devices than the last gets devices of its own.
  void open(const json& device) {
    if (workplace_ && device == device_) return;
    device_ = device;
    DeviceChoice choice;
    choice.vulkan_uuid = device.value("vulkanUuid", "");
    if (device.contains("cudaOrdinal") && device["cudaOrdinal"].is_number())
      choice.cuda_ordinal = device["cudaOrdinal"];
    workplace_ = std::make_unique<Workplace>(choice);
  }

  static std::vector<interop::MemoryHandover> handovers(interop::PeerMessage& message, const json& list) {
    std::vector<interop::MemoryHandover> result;
    for (size_t i = 0; i < list.size() && i < message.fds.size(); ++i) {
      interop::MemoryHandover handover;
      handover.fd = std::move(message.fds[i]);
      handover.size = list[i].value("size", uint64_t{0});
      handover.dedicated = list[i].value("dedicated", false);
      result.push_back(std::move(handover));
    }
    return result;
  }

  Result<void> connect(Partner& partner, const Cell& cell, interop::PeerMessage& request) {
    auto received = handovers(request, request.body["handovers"]);
    const size_t timelines = cell.mode == SyncMode::Timeline ? 2 : 0;
    const size_t slots = cell.ownership == Ownership::Exporter ? cell.slots : 0;
    if (received.size() != slots + timelines)
      return Error{"The other process sent " + std::to_string(received.size()) + " descriptors, expected " +
                       std::to_string(slots + timelines) + ".",
                   "Raise the limit of open descriptors (ulimit -n).", ""};
    if (timelines) {
      auto ready = std::move(received[slots]), released = std::move(received[slots + 1]);
      if (auto done = partner.import_timelines(std::move(ready), std::move(released)); !done) return done;
    }
    received.resize(slots);
    if (cell.ownership == Ownership::Exporter) {
      if (auto done = partner.import_slots(std::move(received)); !done) return done;
      return channel_.send({{"ready", true}});
    }
    auto own = partner.allocate_slots(cell.slots);
    if (!own) return own.error();
    return send_handovers(*own);
  }

  Result<void> send_handovers(const std::vector<interop::MemoryHandover>& own) {
    json list = json::array();
    std::vector<int> fds;
    for (const auto& handover : own) {
      list.push_back({{"size", handover.size}, {"dedicated", handover.dedicated}});
      fds.push_back(handover.fd.get());
    }
    return channel_.send({{"ready", true}, {"handovers", list}}, fds);
  }

  interop::PeerChannel channel_;
  json device_;
  std::unique_ptr<Workplace> workplace_;
};

}  // namespace

int serve_peer(interop::PeerChannel channel) {
  return Peer(std::move(channel)).serve();
}

}  // namespace seamscope::seamtest
