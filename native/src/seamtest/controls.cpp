#include "seamtest/controls.hpp"

#include <unistd.h>

#include "seamtest/cell_json.hpp"
#include "seamtest/cuda_side.hpp"
#include "seamtest/host_side.hpp"
#include "seamtest/loop.hpp"
#include "seamtest/side_pair.hpp"

namespace seamscope::seamtest {
namespace {

using nlohmann::json;

struct Bench {
  Workplace& workplace;
  Cell cell;
  interop::Ledger ledger;
  SidePair pair;

  Bench(Workplace& place, const Cell& wanted) : workplace(place), cell(wanted) {}

  Result<void> make_sides() {
    auto device = workplace.vulkan();
    if (!device) return device.error();
    auto vulkan = VulkanSide::create(*device, ledger, cell, !workplace.has_cuda());
    if (!vulkan) return vulkan.error();
    pair.vulkan = std::move(*vulkan);
    auto partner = workplace.make_partner(ledger, cell);
    if (!partner) return partner.error();
    pair.partner = std::move(*partner);
    return {};
  }
  Result<uint64_t> wrong() {
    auto matches = pair.partner->matches();
    if (!matches) return matches.error();
    return count_wrong(*matches, cell.shape.words());
  }
};

// Vulkan copies each frame into mapped memory and the host hands the bytes on: what zero-copy code replaces.
Result<json> staging(Bench& bench) {
  if (auto made = bench.make_sides(); !made) return made.error();
  auto slots = bench.pair.vulkan->create_slots();
  if (!slots) return slots.error();
  slots->clear();
  auto* cuda = dynamic_cast<CudaSide*>(bench.pair.partner.get());
  auto* host = dynamic_cast<HostSide*>(bench.pair.partner.get());
  if (auto own = bench.pair.partner->allocate_slots(1); !own) return own.error();
  Window window;
  window.open();
  for (uint64_t frame = 1; frame <= bench.cell.frames; ++frame) {
    if (auto done = bench.pair.vulkan->write(0, frame, {}); !done) return done.error();
    if (auto done = bench.pair.vulkan->wait_done(frame); !done) return done.error();
    auto bytes = bench.pair.vulkan->copy_to_staging(0);
    if (!bytes) return bytes.error();
    if (host) host->check_bytes(*bytes, frame, frame);
    if (!cuda) continue;
    if (auto done = cuda->upload(0, *bytes); !done) return done.error();
    if (auto done = cuda->check(0, frame, frame, {}); !done) return done.error();
    if (auto done = cuda->wait_done(frame); !done) return done.error();
  }
  const Measurement measured = window.close();
  auto wrong = bench.wrong();
  if (!wrong) return wrong.error();
  const uint64_t copies = measured.calls.of(interop::CallKind::HostCopy);
  return json{{"counter", "hostCopies"},
              {"counted", copies},
              {"expected", "at least " + std::to_string(bench.cell.frames)},
              {"tripped", copies >= bench.cell.frames && *wrong == 0},
              {"usPerFrame", measured.microseconds / bench.cell.frames}};
}

// Imports every frame anew from a duplicate, and forgets the original: one kernel descriptor a frame is lost.
Result<json> leaking_importer(Bench& bench) {
  if (auto made = bench.make_sides(); !made) return made.error();
  if (auto slots = bench.pair.vulkan->create_slots(); !slots) return slots.error();
  std::vector<UniqueFd> forgotten;  // closed after the count, so that the control leaks nothing for good
  Window window;
  window.open();
  for (uint32_t frame = 1; frame <= bench.cell.frames; ++frame) {
    auto handover = bench.pair.vulkan->slots()[0]->export_memory();
    if (!handover) return handover.error();
    UniqueFd duplicate(dup(handover->fd.get()));
    forgotten.push_back(std::exchange(handover->fd, std::move(duplicate)));
    std::vector<interop::MemoryHandover> list;
    list.push_back(std::move(*handover));
    auto partner = bench.workplace.make_partner(bench.ledger, bench.cell);
    if (!partner) return partner.error();
    if (auto done = (*partner)->import_slots(std::move(list)); !done) return done.error();
  }
  const Measurement measured = window.close();
  return json{{"counter", "fdGrowth"},
              {"counted", measured.fd_growth},
              {"expected", std::to_string(bench.cell.frames)},
              {"tripped", measured.fd_growth == static_cast<int64_t>(bench.cell.frames) &&
                              measured.calls.imports() == bench.cell.frames},
              {"importsPerFrame", static_cast<double>(measured.calls.imports()) / bench.cell.frames}};
}

// The reader keeps a counter of its own, one behind: every frame it looks at is an older one.
Result<json> stale_reader(Bench& bench) {
  if (auto made = bench.make_sides(); !made) return made.error();
  if (auto done = connect(*bench.pair.vulkan, *bench.pair.partner, bench.cell); !done) return done.error();
  auto looped = run_both(*bench.pair.vulkan, *bench.pair.partner, bench.cell, true);
  if (!looped) return looped.error();
  auto wrong = bench.wrong();
  if (!wrong) return wrong.error();
  return json{{"counter", "framesWrong"},
              {"counted", *wrong},
              {"expected", std::to_string(bench.cell.total_frames())},
              {"tripped", *wrong == bench.cell.total_frames()}};
}

}  // namespace

void run_controls(Workplace& workplace, FrameShape shape, uint32_t frames, const EventSink& emit) {
  struct Control {
    const char* name;
    Result<json> (*run)(Bench&);
    uint32_t slots;
  };
  constexpr Control kControls[] = {
      {"staging", staging, 1}, {"leakingImporter", leaking_importer, 1}, {"staleReader", stale_reader, 2}};
  for (const auto& control : kControls) {
    emit({{"event", "started"}, {"id", control.name}});
    Cell cell;
    cell.slots = control.slots;
    cell.frames = frames;
    cell.warmup = 0;
    cell.shape = shape;
    Bench bench(workplace, cell);
    auto result = control.run(bench);
    if (result)
      emit({{"event", "control"}, {"id", control.name}, {"result", *result}});
    else
      emit({{"event", "failed"}, {"id", control.name}, {"error", to_json(result.error())}});
  }
}

}  // namespace seamscope::seamtest
