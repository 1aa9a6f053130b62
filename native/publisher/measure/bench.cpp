// What a publish costs the program: nanoseconds while nobody watches, microseconds at 1920x1080. Prints one JSON object
// a line: {"metric", "value", "unit", "note"}.

#include <algorithm>
#include <vector>

#include "bench_cuda.hpp"
#include "bench_print.hpp"
#include "publisher_session.hpp"

namespace {

using seamscope::bench::median;
using seamscope::bench::microseconds;
using seamscope::bench::print;
using seamscope::test::frame_of;
using seamscope::test::TestHub;

// Of many calls in a row, the best of several runs.
void measure_unwatched(const char* metric, const char* note) {
  static const std::vector<uint8_t> pixels(1920 * 1080 * 4, 1);
  constexpr int kCalls = 1'000'000;
  const auto desc = frame_of(1920, 1080);
  double best = 1e9;
  for (int run = 0; run < 5; ++run)
    best = std::min(best, microseconds([&] {
                      for (int i = 0; i < kCalls; ++i) seamscope_publish_host("color", pixels.data(), &desc);
                    }));
  print(metric, best * 1000 / kCalls, "ns", note);
}

// Frames taken as fast as they come, so that there is always a slot.
void measure_watched(TestHub& hub, uint32_t output) {
  static const std::vector<uint8_t> pixels(1920 * 1080 * 4, 1);
  static std::vector<uint8_t> target(pixels.size());
  const auto desc = frame_of(1920, 1080);
  std::vector<double> publishes, copies;
  for (int i = 0; i < 300; ++i) {
    int result = 0;
    const double time = microseconds([&] { result = seamscope_publish_host("color", pixels.data(), &desc); });
    if (result == SEAMSCOPE_PUBLISHED) publishes.push_back(time);
    copies.push_back(microseconds([&] { __builtin_memcpy(target.data(), pixels.data(), pixels.size()); }));
    hub.pump(0);
    if (const auto frame = hub.begin_read(output)) hub.end_read(output, *frame);
  }
  print("publish from host memory, watched, 1920x1080 RGBA8", median(publishes), "us", "on the caller's thread");
  print("memcpy of the same bytes", median(copies), "us", "");
}

int measure_host() {
  TestHub hub;
  const seamscope::test::PublisherSession session(hub.path());
  seamscope_wanted("color");
  if (!hub.connect() || !hub.pump_until([&] { return hub.find("color").has_value(); })) return 1;
  measure_unwatched("publish, connected, nobody watches", "");
  const auto output = *hub.find("color");
  hub.want(output);
  const std::vector<uint8_t> pixels(1920 * 1080 * 4, 1);
  const auto desc = frame_of(1920, 1080);
  if (!first_frame(hub, output, [&] { seamscope_publish_host("color", pixels.data(), &desc); })) return 1;
  measure_watched(hub, output);
  hub.want(output, true, 1000);
  measure_unwatched("publish, watched, sooner than the viewer's rate", "");
  return 0;
}

}  // namespace

int main() {
  {
    const seamscope::test::PublisherSession session("off");
    measure_unwatched("publish, turned off", "SEAMSCOPE_SOCKET=off");
  }
  const int failed = measure_host();
  seamscope::bench::measure_cuda();
  return failed;
}
