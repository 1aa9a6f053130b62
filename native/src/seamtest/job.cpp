#include "seamtest/job.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <set>
#include <tuple>

#include "seamtest/cell_json.hpp"
#include "seamtest/cell_runner.hpp"
#include "seamtest/controls.hpp"
#include "seamtest/peer.hpp"
#include "seamtest/probes.hpp"
#include "seamtest/teardown.hpp"

namespace seamscope::seamtest {
namespace {

using nlohmann::json;

DeviceChoice choice_of(const json& job) {
  const json device = job.value("device", json::object());
  DeviceChoice choice;
  choice.vulkan_uuid = device.value("vulkanUuid", "");
  if (device.contains("cudaOrdinal") && device["cudaOrdinal"].is_number()) choice.cuda_ordinal = device["cudaOrdinal"];
  choice.validation = job.value("validation", false);
  return choice;
}

// The first use of each kind of sharing opens descriptors that a driver keeps for good: it happens before anything is
// counted. A run that repeats the kind would show a leak all the same.
class WarmKinds {
 public:
  Result<void> warm(Workplace& workplace, PeerProcess& peer, const Cell& cell) {
    const Kind kind{cell.mode, cell.ownership, cell.resource, cell.processes};
    if (!known_.insert(kind).second) return {};
    Cell first = cell;
    first.frames = 2;
    first.warmup = first.latency_frames = 0;
    auto result =
        cell.processes == 1 ? run_in_one_process(workplace, first) : run_in_two_processes(workplace, first, peer);
    if (!result) return result.error();
    return {};
  }

 private:
  using Kind = std::tuple<SyncMode, Ownership, Resource, uint32_t>;
  std::set<Kind> known_;
};

void run_cell(Workplace& workplace, PeerProcess& peer, WarmKinds& kinds, const json& entry, const EventSink& emit) {
  const json id = entry.value("id", json(0));
  emit({{"event", "started"}, {"id", id}});
  const auto fail = [&](const Error& error) { emit({{"event", "failed"}, {"id", id}, {"error", to_json(error)}}); };
  auto cell = cell_from_json(entry);
  if (!cell) return fail(cell.error());
  auto skipped = workplace.skip_reason(*cell);
  if (!skipped) return fail(skipped.error());
  if (!skipped->empty()) return emit({{"event", "skipped"}, {"id", id}, {"reason", *skipped}});
  if (auto warmed = kinds.warm(workplace, peer, *cell); !warmed) return fail(warmed.error());
  auto result =
      cell->processes == 1 ? run_in_one_process(workplace, *cell) : run_in_two_processes(workplace, *cell, peer);
  if (!result) return fail(result.error());
  emit({{"event", "run"}, {"id", id}, {"result", to_json(*result, *cell)}});
}

void emit_costs(const EventSink& emit) {
  json costs = json::array();
  for (const auto& cost : interop::DriverTap::process().costs()) {
    const std::vector<double> values(cost.microseconds.begin(), cost.microseconds.end());
    costs.push_back({{"call", cost.call},
                     {"kind", interop::call_kind_name(cost.kind)},
                     {"count", values.size()},
                     {"p50Us", percentile(values, 50)},
                     {"p99Us", percentile(values, 99)}});
  }
  emit({{"event", "costs"}, {"costs", costs}});
}

Result<void> run_cells(const json& job, const EventSink& emit) {
  Workplace workplace(choice_of(job));
  PeerProcess peer(job.value("peer", std::vector<std::string>{}));
  auto facts = workplace.describe();
  if (!facts) return facts.error();
  emit({{"event", "device"}, {"facts", *facts}});
  WarmKinds kinds;
  for (const auto& entry : job.value("cells", json::array())) run_cell(workplace, peer, kinds, entry, emit);
  emit_costs(emit);
  if (workplace.validates()) emit({{"event", "validation"}, {"messages", workplace.take_validation_messages()}});
  return {};
}

Cell base_cell(const json& job) {
  auto cell = cell_from_json(job.value("cell", json::object()));
  return cell ? *cell : Cell{};
}

// One measurement that is an event of the job's own kind.
Result<void> run_probe(const json& job, Result<json> (*measure)(Workplace&, const Cell&), const EventSink& emit) {
  Workplace workplace(choice_of(job));
  auto result = measure(workplace, base_cell(job));
  if (!result) return result.error();
  emit({{"event", job.value("kind", "")}, {"result", *result}});
  return {};
}

Result<void> run_teardown_job(const json& job, const EventSink& emit) {
  const std::string order = job.value("order", "documented");
  Workplace workplace(choice_of(job));
  Cell cell = base_cell(job);
  auto skipped = workplace.skip_reason(cell);
  if (!skipped) return skipped.error();
  if (!skipped->empty()) {
    emit({{"event", "skipped"}, {"reason", *skipped}});
    return {};
  }
  if (workplace.validates()) emit({{"event", "validating"}});
  return run_teardown(workplace, cell,
                      order == "ownerFirst"    ? TeardownOrder::OwnerFirst
                      : order == "deviceFirst" ? TeardownOrder::DeviceFirst
                                               : TeardownOrder::Documented,
                      emit);
}

// A crash on purpose leaves no core file behind.
void keep_no_core_file() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

}  // namespace

Result<void> run_job(const json& job, const EventSink& emit) {
  const std::string kind = job.value("kind", "");
  if (kind == "cells") return run_cells(job, emit);
  if (kind == "alone") return run_probe(job, measure_alone, emit);
  if (kind == "streamSync") return run_probe(job, measure_stream_sync, emit);
  if (kind == "connections") return run_probe(job, measure_connections, emit);
  if (kind == "peers") return run_probe(job, measure_peers, emit);
  if (kind == "teardown") return run_teardown_job(job, emit);
  if (kind == "controls") {
    Workplace workplace(choice_of(job));
    const Cell cell = base_cell(job);
    run_controls(workplace, cell.shape, cell.frames, emit);
    return {};
  }
  return Error{"There is no seam test job \"" + kind + "\".", "Install the extension again.", ""};
}

int run_seam_process(const std::string& job_text, int event_fd) {
  const json job = json::parse(job_text, nullptr, false);
  if (!job.is_object()) return 2;
  keep_no_core_file();
  if (job.value("kind", "") == "peer") {
    fcntl(kPeerFd, F_SETFD, FD_CLOEXEC);
    if (!die_with_parent(job.value("parent", getppid()))) return 2;
    return serve_peer(interop::PeerChannel(UniqueFd(kPeerFd)));
  }
  if (!die_with_parent(job.value("parent", getppid()))) return 2;
  fcntl(event_fd, F_SETFD, FD_CLOEXEC);
  const EventSink emit = [event_fd](const json& event) {
    const std::string line = event.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    for (size_t sent = 0; sent < line.size();) {
      const ssize_t count = ::write(event_fd, line.data() + sent, line.size() - sent);
      if (count <= 0) _exit(3);  // nobody listens any more
      sent += static_cast<size_t>(count);
    }
  };
  if (auto done = run_job(job, emit); !done) {
    emit({{"event", "error"}, {"error", to_json(done.error())}});
    return 1;
  }
  emit({{"event", "done"}});
  return 0;
}

}  // namespace seamscope::seamtest
