// seamscope.h and the engine's own hub, end to end: the examples as programs, killed, stopped and started again, and
// ten thousand frames out of this process.

#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <thread>

#include "gpu_device.hpp"
#include "hub_fixture.hpp"
#include "interop/fd_table.hpp"
#include "publisher_process.hpp"
#include "publisher_session.hpp"

namespace seamscope::test {
namespace {

constexpr uint32_t kWidth = 333, kHeight = 77;

struct Program {
  const char* example;
  const char* output;
};
constexpr Program kPrograms[] = {
    {"host", "color"}, {"vulkan", "color"}, {"cuda", "color"}, {"vulkan_cuda", "cuda"}, {"vulkan_cuda", "vulkan"}};

// One output of one program, watched.
class Watching {
 public:
  Watching(const HubFixture& fixture, const std::string& program, const std::string& output)
      : source_((wait_for(fixture, "pub:" + program), fixture.open("pub:" + program))) {
    REQUIRE(eventually([&] { return find(output); }));
    source_->want(std::span(&index_, 1), 0);
  }
  ~Watching() { source_->want({}, 0); }

  // The newest frame, or nullptr; never waits for the program.
  std::shared_ptr<const Frame> newest() {
    auto frame = source_->render(0, std::span(&index_, 1));
    REQUIRE(frame);
    return *frame && (*frame)->has(index_) ? *frame : nullptr;
  }
  // Newer than `after`.
  std::shared_ptr<const Frame> next(uint64_t after) {
    std::shared_ptr<const Frame> frame;
    eventually([&] { return (frame = newest()) && frame->number() != after; });
    return frame;
  }
  uint32_t index() const { return index_; }
  FrameDesc desc(const Frame& frame) const {
    return frame.desc(index_) ? *frame.desc(index_) : source_->outputs()[index_].desc;
  }

 private:
  // A sanitized program that loads drivers on a busy machine takes its time.
  static void wait_for(const HubFixture& fixture, const std::string& id) {
    for (int i = 0; i < 6 && !fixture.info(id); ++i) eventually([&] { return fixture.info(id).has_value(); });
  }
  bool find(const std::string& name) {
    const auto outputs = source_->outputs();
    for (uint32_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].name == name) {
        index_ = i;
        return true;
      }
    return false;
  }

  std::unique_ptr<frames::PublishedSource> source_;
  uint32_t index_ = 0;
};

// Columns and rows as the examples draw them.
bool is_pattern(const Watching& watching, const Frame& frame) {
  const FrameDesc desc = watching.desc(frame);
  const auto bytes = frame.host_bytes(watching.index());
  if (!bytes || desc.width != kWidth || desc.height != kHeight || desc.channels != 4) return false;
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x) {
      const auto* texel = bytes->data() + y * desc.row_stride + x * desc.pixel_stride;
      if (texel[0] != std::byte(x) || texel[1] != std::byte(y) || texel[2] != (*bytes)[2] || texel[3] != std::byte{255})
        return false;
    }
  return true;
}

const std::vector<std::string> kArguments = {"--size", "333x77", "--seconds", "60", "--rate", "200"};

std::vector<std::string> variables_for(const HubFixture& fixture) {
  return {"SEAMSCOPE_SOCKET=" + fixture.hub->path()};
}

bool may_run(const Program& program) {
  const bool needs_vulkan = std::string(program.example).find("vulkan") == 0;
  if (!example_path(program.example).empty()) return !needs_vulkan || device();
  MESSAGE("skipped: the example " << program.example << " was not built");
  return false;
}

}  // namespace

TEST_CASE("publisher and engine: every example, pixel by pixel") {
  for (const Program& program : kPrograms) {
    if (!may_run(program)) continue;
    CAPTURE(std::string(program.example));
    CAPTURE(std::string(program.output));
    const HubFixture fixture;
    const ExampleProcess process(program.example, kArguments, variables_for(fixture));
    Watching watching(fixture, program.example, program.output);
    uint64_t last = 0;
    for (int i = 0; i < 10; ++i) {
      const auto frame = watching.next(last);
      REQUIRE_MESSAGE(frame, process.words());
      CHECK(frame->number() > last);
      CHECK(is_pattern(watching, *frame));
      last = frame->number();
    }
  }
}

TEST_CASE("publisher and engine: a program that is killed and started again, descriptors flat") {
  for (const Program& program : kPrograms) {
    if (!may_run(program)) continue;
    CAPTURE(std::string(program.example));
    const HubFixture fixture;
    auto process = std::make_unique<ExampleProcess>(program.example, kArguments, variables_for(fixture));
    Watching watching(fixture, program.example, program.output);
    uint64_t last = 0;
    size_t descriptors = 0;
    for (int round = 0; round < 4; ++round) {
      const auto frame = watching.next(last);
      REQUIRE_MESSAGE(frame, process->words());
      CHECK(is_pattern(watching, *frame));
      if (round == 1) descriptors = interop::open_fd_count();
      if (round > 1) CHECK(interop::open_fd_count() <= descriptors);
      process->signal(SIGKILL);
      process->wait(5000);
      last = watching.newest()->number();
      process = std::make_unique<ExampleProcess>(program.example, kArguments, variables_for(fixture));
    }
  }
}

TEST_CASE("publisher and engine: memory that nobody looks at goes and comes back, descriptors flat") {
  const bool has_gpu = std::filesystem::exists("/dev/nvidiactl");
  for (const Program& program : std::span(kPrograms).first(3)) {
    if (!may_run(program)) continue;
    CAPTURE(std::string(program.example));
    CAPTURE(std::string(program.output));
    // A real driver's memory has no descriptor in the program once it was sent.
    const bool shows = std::string(program.example) == "host" || !has_gpu;
    frames::HubOptions options;
    options.idle_ms = 0;
    const HubFixture fixture(options);
    const ExampleProcess process(program.example, kArguments, variables_for(fixture));
    const auto is_free = [&] {
      const auto info = fixture.info("pub:" + std::string(program.example));
      for (const auto& output : info->outputs)
        if (output.name == program.output) return output.path.empty();
      return false;
    };
    uint64_t last = 0;
    size_t here = 0, there = 0;
    for (int round = 0; round < 3; ++round) {
      {
        Watching watching(fixture, program.example, program.output);
        const auto frame = watching.next(last);
        REQUIRE_MESSAGE(frame, process.words());
        CHECK(is_pattern(watching, *frame));
        last = frame->number();
        if (round == 1) here = interop::open_fd_count(), there = process.fd_count();
        if (round > 1) CHECK(interop::open_fd_count() <= here);
        if (round > 1) CHECK(process.fd_count() == there);
      }
      const size_t watched = process.fd_count();
      REQUIRE(eventually(is_free));
      if (shows) CHECK((eventually([&] { return process.fd_count() < watched; })));
    }
  }
}

TEST_CASE("publisher and engine: a program that is stopped costs nobody anything and goes on afterwards") {
  const Program program = kPrograms[0];
  if (!may_run(program)) return;
  const HubFixture fixture;
  const ExampleProcess process(program.example, kArguments, variables_for(fixture));
  Watching watching(fixture, program.example, program.output);
  REQUIRE(watching.next(0));
  process.signal(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto last = watching.newest()->number();
  for (int i = 0; i < 50; ++i) CHECK(watching.newest()->number() == last);
  process.signal(SIGCONT);
  const auto frame = watching.next(last);
  REQUIRE(frame);
  CHECK(frame->number() > last);
}

TEST_CASE("publisher and engine: frames of another process as fast as they come, descriptors flat on both sides") {
  // A GPU machine has the time; the reader takes a frame every few milliseconds.
  const bool has_gpu = std::filesystem::exists("/dev/nvidiactl");
  const uint64_t frames = has_gpu ? 10'000 : 1'000, reads = has_gpu ? 1'500 : 100;
  for (const Program& program : {kPrograms[0], kPrograms[2]}) {
    if (!may_run(program)) continue;
    CAPTURE(std::string(program.example));
    const HubFixture fixture;
    const ExampleProcess process(program.example, {"--size", "333x77", "--seconds", "120", "--rate", "20000"},
                                 variables_for(fixture));
    Watching watching(fixture, program.example, program.output);
    const auto first = watching.next(0);
    REQUIRE_MESSAGE(first, process.words());
    const size_t here = interop::open_fd_count(), there = process.fd_count();
    uint64_t last = first->number(), wrong = 0, backwards = 0, seen = 0;
    while (last < first->number() + frames || seen < reads) {
      const auto frame = watching.next(last);
      REQUIRE_MESSAGE(frame, process.words());
      wrong += !is_pattern(watching, *frame);
      backwards += frame->number() < last;
      last = frame->number();
      ++seen;
    }
    MESSAGE(std::string(program.example) << ": " << seen << " of " << last - first->number() << " frames read, "
                                         << wrong << " wrong, " << backwards << " backwards");
    CHECK(wrong == 0);
    CHECK(backwards == 0);
    CHECK(interop::open_fd_count() <= here);
    CHECK(process.fd_count() == there);
  }
}

TEST_CASE("publisher and engine: ten thousand frames as fast as they come, none torn, none backwards") {
  const HubFixture fixture;
  const PublisherSession session(fixture.hub->path());
  std::atomic<bool> ended{false};
  std::atomic<uint64_t> published{0};
  std::thread program([&] {
    std::vector<uint32_t> texels(64 * 64);
    for (uint32_t number = 0; !ended; ++number) {
      for (uint32_t& texel : texels) texel = number;
      const auto desc = frame_of(64, 64, SEAMSCOPE_U32, 1);
      published += seamscope_publish_host("numbers", texels.data(), &desc) == SEAMSCOPE_PUBLISHED;
    }
  });
  {
    Watching watching(fixture, "tests", "numbers");
    uint64_t last = 0, torn = 0, backwards = 0, seen = 0;
    // How many of them are seen in a given time is the scheduler's affair.
    for (int i = 0; i < 30'000 && (published < 10'000 || seen <= 10); ++i) {
      const auto frame = watching.next(last);
      if (!frame) break;
      const auto bytes = frame->host_bytes(watching.index());
      REQUIRE(bytes);
      const auto* texels = reinterpret_cast<const uint32_t*>(bytes->data());
      for (size_t k = 1; k < bytes->size() / 4; ++k) torn += texels[k] != texels[0];
      backwards += frame->number() < last;
      last = frame->number();
      ++seen;
    }
    CHECK(published >= 10'000);
    CHECK(seen > 10);
    CHECK(torn == 0);
    CHECK(backwards == 0);
  }
  ended = true;
  program.join();
}

}  // namespace seamscope::test
