// Every example as a program of its own, against the tests' hub: pixel by pixel, over both memory paths, through
// hang-ups, and to a clean end.

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "gpu_device.hpp"
#include "publisher_hub.hpp"
#include "publisher_process.hpp"

namespace seamscope::test {
namespace {

constexpr uint32_t kWidth = 333, kHeight = 77, kDevicePath = SEAMSCOPE_PATH_DEVICE;

struct Example {
  const char* name;
  const char* output;
  uint32_t device_memory;  // the kind of ring that the device path brings
  bool needs_vulkan;
};
const std::vector<Example> kExamples = {
    {"host", "color", SEAMSCOPE_MEMORY_HOST, false},          {"vulkan", "color", SEAMSCOPE_MEMORY_VULKAN, true},
    {"cuda", "color", SEAMSCOPE_MEMORY_CUDA, false},          {"vulkan_cuda", "cuda", SEAMSCOPE_MEMORY_CUDA, true},
    {"vulkan_cuda", "vulkan", SEAMSCOPE_MEMORY_VULKAN, true},
};

bool is_cpu_vulkan() {
  const auto vulkan = device();
  return vulkan && vulkan->info().name.find("llvmpipe") != std::string::npos;
}

std::vector<std::string> variables_for(const TestHub& hub) {
  std::vector<std::string> variables = {"SEAMSCOPE_SOCKET=" + hub.path()};
  if (std::filesystem::exists("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"))
    variables.push_back("VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation");
  return variables;
}

const std::vector<std::string> kForAMinute = {"--size", "333x77", "--seconds", "60", "--rate", "200"};

std::optional<uint32_t> watch_output(TestHub& hub, const char* name) {
  const auto output = hub.wait_for_output(name);
  if (output) hub.want(*output);
  return output;
}

std::optional<HubFrame> next_frame(TestHub& hub, uint32_t output) {
  std::optional<HubFrame> frame;
  hub.pump_until([&] { return (frame = hub.take(output)).has_value(); }, 10'000);
  return frame;
}

// Columns and rows as pattern.h draws them, one frame number in all texels.
bool is_pattern(const HubFrame& frame) {
  const seamscope_frame_desc& desc = frame.header.desc;
  if (desc.width != kWidth || desc.height != kHeight || desc.channels != 4 || desc.dtype != SEAMSCOPE_U8) return false;
  if (frame.bytes.size() < desc.row_stride * kHeight) return false;
  const auto at = [&](uint32_t x, uint32_t y, uint32_t c) {
    return static_cast<uint8_t>(
        frame.bytes[desc.offset + y * desc.row_stride + x * desc.pixel_stride + c * desc.channel_stride]);
  };
  const uint8_t number = at(0, 0, 2);
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x)
      if (at(x, y, 0) != static_cast<uint8_t>(x) || at(x, y, 1) != static_cast<uint8_t>(y) || at(x, y, 2) != number ||
          at(x, y, 3) != 255)
        return false;
  return true;
}

bool may_run(const Example& example) {
  if (example_path(example.name).empty()) {
    MESSAGE("skipped: the example " << example.name << " was not built");
    return false;
  }
  return !example.needs_vulkan || device();
}

void check_frames(const Example& example, uint32_t paths, uint32_t memory,
                  const std::vector<std::string>& more_variables = {}) {
  CAPTURE(std::string(example.name));
  CAPTURE(std::string(example.output));
  TestHub hub({paths, true});
  auto variables = variables_for(hub);
  variables.insert(variables.end(), more_variables.begin(), more_variables.end());
  ExampleProcess process(example.name, kForAMinute, variables);
  const auto output = watch_output(hub, example.output);
  REQUIRE_MESSAGE(output, process.words());
  uint64_t last = 0;
  for (int i = 0; i < 10; ++i) {
    const auto frame = next_frame(hub, *output);
    REQUIRE_MESSAGE(frame, process.words());
    CHECK(is_pattern(*frame));
    CHECK(frame->header.frame > last);
    last = frame->header.frame;
  }
  CHECK(hub.ring(*output)->message().memory == memory);
  CHECK(process.words().find("VUID") == std::string::npos);
}

}  // namespace

TEST_CASE("publisher examples: pixels over host memory") {
  for (const Example& example : kExamples)
    if (may_run(example)) check_frames(example, SEAMSCOPE_PATH_HOST, SEAMSCOPE_MEMORY_HOST);
}

TEST_CASE("publisher examples: pixels over GPU memory") {
  if (!is_cpu_vulkan()) {
    MESSAGE("skipped: the tests' hub reads GPU memory of lavapipe only");
    return;
  }
  for (const Example& example : kExamples)
    if (may_run(example)) check_frames(example, SEAMSCOPE_PATH_HOST | SEAMSCOPE_PATH_DEVICE, example.device_memory);
}

TEST_CASE("publisher examples: GPU memory that is refused is followed by host memory") {
  for (const Example& example : kExamples) {
    if (example.device_memory == SEAMSCOPE_MEMORY_HOST || !may_run(example)) continue;
    CAPTURE(std::string(example.name));
    TestHub hub({SEAMSCOPE_PATH_HOST | SEAMSCOPE_PATH_DEVICE, true});
    hub.refuse_memory(example.device_memory);
    const ExampleProcess process(example.name, kForAMinute, variables_for(hub));
    const auto output = watch_output(hub, example.output);
    REQUIRE_MESSAGE(output, process.words());
    const auto frame = next_frame(hub, *output);
    REQUIRE_MESSAGE(frame, process.words());
    CHECK(is_pattern(*frame));
    CHECK(hub.ring(*output)->message().memory == SEAMSCOPE_MEMORY_HOST);
    CHECK(hub.ring(*output)->message().generation == 2);
  }
}

TEST_CASE("publisher examples: over hang-ups of the hub descriptors stay flat") {
  for (const Example& example : kExamples) {
    if (!may_run(example)) continue;
    CAPTURE(std::string(example.name));
    TestHub hub({SEAMSCOPE_PATH_HOST | (is_cpu_vulkan() ? kDevicePath : 0u), true});
    const ExampleProcess process(example.name, kForAMinute, variables_for(hub));
    size_t descriptors = 0;
    for (int i = 0; i < 4; ++i) {
      const auto output = watch_output(hub, example.output);
      REQUIRE_MESSAGE(output, process.words());
      REQUIRE(next_frame(hub, *output));
      if (i == 1) descriptors = process.fd_count();
      if (i > 1) CHECK(process.fd_count() == descriptors);
      hub.hang_up();
    }
  }
}

TEST_CASE("publisher examples: they end by themselves, watched or not") {
  for (const Example& example : kExamples) {
    if (!may_run(example)) continue;
    CAPTURE(std::string(example.name));
    for (const bool watched : {false, true}) {
      CAPTURE(watched);
      TestHub hub({SEAMSCOPE_PATH_HOST | (is_cpu_vulkan() ? kDevicePath : 0u), true});
      ExampleProcess process(example.name, {"--size", "333x77", "--seconds", "1", "--rate", "100"}, variables_for(hub));
      if (watched) {
        const auto output = watch_output(hub, example.output);
        REQUIRE(output);
        CHECK(next_frame(hub, *output));
      }
      CHECK_MESSAGE(process.wait(60'000) == 0, process.words());
      CHECK(process.words().find("VUID") == std::string::npos);
    }
  }
}

TEST_CASE("publisher examples: a stream that is being captured makes publishing a counted no-op") {
  if (example_path("cuda").empty() || std::filesystem::exists("/dev/nvidiactl")) {
    MESSAGE("skipped: only the stand-in driver captures on demand");
    return;
  }
  TestHub hub;
  auto variables = variables_for(hub);
  variables.push_back("SEAMSCOPE_DOUBLES_CAPTURING=1");
  const ExampleProcess process("cuda", kForAMinute, variables);
  const auto output = watch_output(hub, "color");
  REQUIRE_MESSAGE(output, process.words());
  CHECK(hub.pump_until([&] { return hub.page(*output).skipped > 10 && !hub.statuses().empty(); }));
  CHECK(hub.rings_offered() == 0);
  CHECK(hub.page(*output).published == 0);
  REQUIRE_FALSE(hub.statuses().empty());
  CHECK(hub.statuses().front().find("captured") != std::string::npos);
}

TEST_CASE("publisher examples: a program that keeps CUDA's queue full makes its memory itself") {
  if (example_path("cuda").empty() || std::filesystem::exists("/dev/nvidiactl")) {
    MESSAGE("skipped: only the stand-in driver shuts a thread out on demand");
    return;
  }
  for (const uint32_t paths : {uint32_t{SEAMSCOPE_PATH_HOST}, SEAMSCOPE_PATH_HOST | kDevicePath}) {
    if (paths != SEAMSCOPE_PATH_HOST && !is_cpu_vulkan()) continue;
    CAPTURE(paths);
    TestHub hub({paths, true});
    auto variables = variables_for(hub);
    variables.push_back("SEAMSCOPE_DOUBLES_BUSY=1");
    const ExampleProcess process("cuda", kForAMinute, variables);
    for (int connection = 0; connection < 2; ++connection) {
      CAPTURE(connection);
      for (const char* name : {"color", "depth"}) {
        const auto output = watch_output(hub, name);
        REQUIRE_MESSAGE(output, process.words());
        REQUIRE_MESSAGE(next_frame(hub, *output), process.words());
        CHECK((hub.ring(*output)->message().memory == SEAMSCOPE_MEMORY_HOST) == (paths == SEAMSCOPE_PATH_HOST));
      }
      hub.hang_up();
    }
  }
}

TEST_CASE("publisher examples: a driver without memory that the GPU can write flags to tells by its own thread") {
  const Example& cuda = kExamples[2];
  if (!may_run(cuda) || std::filesystem::exists("/dev/nvidiactl")) {
    MESSAGE("skipped: only the stand-in driver lacks calls on demand");
    return;
  }
  for (const char* missing : {"cuMemHostGetDevicePointer", "cuMemHostRegister"}) {
    CAPTURE(std::string(missing));
    const std::string without = std::string("SEAMSCOPE_DOUBLES_WITHOUT=") + missing;
    if (is_cpu_vulkan()) check_frames(cuda, SEAMSCOPE_PATH_HOST | kDevicePath, SEAMSCOPE_MEMORY_CUDA, {without});
  }
  check_frames(cuda, SEAMSCOPE_PATH_HOST, SEAMSCOPE_MEMORY_HOST,
               {"SEAMSCOPE_DOUBLES_WITHOUT=cuMemHostGetDevicePointer"});
}

TEST_CASE("publisher examples: a frame of CUDA memory costs the program few calls of the driver") {
  const Example& cuda = kExamples[2];
  if (!may_run(cuda) || std::filesystem::exists("/dev/nvidiactl")) {
    MESSAGE("skipped: only the stand-in driver writes down its calls");
    return;
  }
  const std::string trace =
      (std::filesystem::temp_directory_path() / ("seamscope-calls-" + std::to_string(getpid()))).string();
  std::filesystem::remove(trace);
  check_frames(cuda, SEAMSCOPE_PATH_HOST, SEAMSCOPE_MEMORY_HOST, {"SEAMSCOPE_DOUBLES_TRACE=" + trace});
  std::map<std::string, int> calls;
  std::ifstream lines(trace);
  for (std::string line; std::getline(lines, line);) ++calls[line];
  std::filesystem::remove(trace);
  CHECK(calls["cuStreamWriteValue32"] >= 10);
  // What does not change is asked once, not for each frame.
  for (const char* once : {"cuStreamGetCtx", "cuCtxGetDevice", "cuPointerGetAttribute"}) {
    CAPTURE(std::string(once));
    CHECK(calls[once] < calls["cuStreamWriteValue32"] / 2);
  }
  for (const char* never : {"cuEventRecord", "cuStreamWaitEvent", "cuLaunchHostFunc", "cuCtxPushCurrent"}) {
    CAPTURE(std::string(never));
    CHECK(calls[never] <= 2);
  }
}

TEST_CASE("publisher: threads, a slow reader, hang-ups, under ThreadSanitizer") {
  if (example_path("publisher_stress").empty()) {
    MESSAGE("skipped: built without ThreadSanitizer");
    return;
  }
  ExampleProcess process("publisher_stress", {"4"}, {"TSAN_OPTIONS=exitcode=66"});
  const int code = process.wait(120'000);
  CHECK_MESSAGE(code == 0, process.words());
}

}  // namespace seamscope::test
