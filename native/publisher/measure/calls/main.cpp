// Where the microseconds of a publish of CUDA memory go: CPU and wall time of each driver call, for several ways to
// publish and several paces. One JSON object a line:
//   {"device", "frameMs", "clockUs"}                            clockUs: what reading the CPU clock takes itself
//   {"loadMs", "busyMs"}                what loading the copy kernel and its first launch took, with so much work
//   queued
//   {"pace", "way", "missing"}                                  this driver cannot do it
//   {"pace", "way", "call", "count", "cpuUs", "wallUs", "p90Us"}     medians, p90 of the CPU time; call "": all of them
//
//   publish_calls [ROUNDS]      of about a minute; 1 by default

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "bench_print.hpp"
#include "calls/variants.hpp"
#include "calls/viewer.hpp"

namespace {

using namespace seamscope::measure;
using seamscope::Error;
using seamscope::bench::thread_microseconds;
using Clock = std::chrono::steady_clock;

double wall_microseconds() {
  return std::chrono::duration<double, std::micro>(Clock::now().time_since_epoch()).count();
}

struct Samples {
  std::vector<double> cpu, wall;
};
// By call; the empty name is all of them together.
using Times = std::vector<std::pair<std::string, Samples>>;

Samples& of(Times& times, const std::string& call) {
  for (auto& [name, samples] : times)
    if (name == call) return samples;
  return times.emplace_back(call, Samples{}).second;
}

enum class Measure { StepsCpu, StepsWall, AllCpu, AllWall };

bool run_steps(const Variant& way, Measure measure, std::vector<double>& took) {
  const auto clock = measure == Measure::StepsCpu ? thread_microseconds : wall_microseconds;
  bool done = true;
  for (const Step& step : way.steps) {
    const double begin = clock();
    done = step.run() == 0 && done;
    took.push_back(clock() - begin);
  }
  return done;
}

bool run_all(const Variant& way, Measure measure, std::vector<double>& took) {
  const auto clock = measure == Measure::AllCpu ? thread_microseconds : wall_microseconds;
  bool done = true;
  const double begin = clock();
  for (const Step& step : way.steps) done = step.run() == 0 && done;
  took.push_back(clock() - begin);
  return done;
}

// One publish in one of four turns: whoever reads clocks between calls disturbs their sum.
void publish(Place& place, const Variant& way, int turn, Times& times) {
  const auto measure = static_cast<Measure>(turn % 4);
  const bool steps = measure == Measure::StepsCpu || measure == Measure::StepsWall;
  std::vector<double> took;
  took.reserve(way.steps.size());
  const bool done = steps ? run_steps(way, measure, took) : run_all(way, measure, took);
  place.ring->next();
  if (!done) return;
  const bool cpu = measure == Measure::StepsCpu || measure == Measure::AllCpu;
  for (size_t i = 0; i < took.size(); ++i) {
    Samples& samples = of(times, steps ? way.steps[i].call : "");
    (cpu ? samples.cpu : samples.wall).push_back(took[i]);
  }
}

struct Pace {
  const char* name;
  int frames;       // a round
  double interval;  // seconds between publishes; 0: each frame
  bool renders;
};

constexpr Pace kPaces[] = {{"30 a second of a renderer", 60, 1.0 / 30, true},
                           {"30 a second, nothing between", 60, 1.0 / 30, false},
                           {"every frame of a renderer", 200, 0, true},
                           {"in a row", 300, 0, false}};

void run_pace(Place& place, const Pace& pace, const Variant& way, Times& times) {
  const auto interval = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(pace.interval));
  auto due = Clock::now();
  for (int published = 0; published < pace.frames;) {
    if (pace.renders) place.load->begin_frame();
    if (!pace.renders) std::this_thread::sleep_until(due);
    if (Clock::now() >= due) {
      publish(place, way, published++, times);
      due += interval;
    }
    if (pace.renders) place.load->end_frame();
    if (!pace.renders && pace.interval == 0) place.load->finish();
  }
  place.load->finish();
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<size_t>(share * static_cast<double>(values.size())))];
}

void print(const char* pace, const std::string& way, const Times& times) {
  for (const auto& [call, samples] : times)
    std::printf(R"({"pace":"%s","way":"%s","call":"%s","count":%zu,"cpuUs":%.2f,"wallUs":%.2f,"p90Us":%.2f})"
                "\n",
                pace, way.c_str(), call.c_str(), samples.cpu.size(), percentile(samples.cpu, 0.5),
                percentile(samples.wall, 0.5), percentile(samples.cpu, 0.9));
}

// All ways in turns.
void measure(Place& place, const std::vector<Variant>& ways, const Pace& pace, int rounds) {
  std::vector<Times> times(ways.size());
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < ways.size(); ++i)
      if (!ways[i].missing) run_pace(place, pace, ways[i], times[i]);
  for (size_t i = 0; i < ways.size(); ++i) {
    if (ways[i].missing)
      std::printf("{\"pace\":\"%s\",\"way\":\"%s\",\"missing\":\"%s\"}\n", pace.name, ways[i].name.c_str(),
                  ways[i].missing);
    print(pace.name, ways[i].name, times[i]);
  }
}

Variant publisher(const Place& place) {
  const auto* pixels = reinterpret_cast<const void*>(static_cast<uintptr_t>(place.load->image()));
  const CUstream stream = place.load->stream();
  return {"the publisher",
          {{"seamscope_publish_cuda",
            [pixels, stream] {
              const auto desc = seamscope::test::frame_of(Load::kWidth, Load::kHeight);
              return seamscope_publish_cuda(Viewer::kName, pixels, &desc, stream) == SEAMSCOPE_PUBLISHED ? 0 : 1;
            }}},
          nullptr};
}

// Its ring is made in the first publishes.
void warm_up(Place& place, const Variant& way) {
  Times unused;
  run_pace(place, {"", 60, 1.0 / 60, false}, way, unused);
}

double clock_cost() {
  std::vector<double> took;
  for (int i = 0; i < 1000; ++i) {
    const double begin = thread_microseconds();
    took.push_back(thread_microseconds() - begin);
  }
  return seamscope::bench::median(took);
}

int fail(const Error& error) {
  std::printf("{\"error\":\"%s %s\"}\n", error.message.c_str(), error.next_step.c_str());
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::max(std::atoi(arguments[1]), 1) : 1;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  auto place = make_place();
  if (!place) return fail(place.error());
  const double frame = (*place)->load->calibrate(4);
  std::printf(R"({"device":"CUDA device %d","frameMs":%.3f,"clockUs":%.3f})"
              "\n",
              (*place)->cuda->ordinal(), frame, clock_cost());
  load_copy_kernel(**place, frame);
  std::printf(R"({"loadMs":%.3f,"busyMs":%.0f})"
              "\n",
              (*place)->load_ms, Place::kBusyMs);
  const Viewer viewer;
  std::vector<Variant> ways = make_variants(**place);
  ways.insert(ways.begin(), publisher(**place));
  if (!viewer.is_there()) ways.front().missing = "a viewer: the publisher did not connect to it";
  if (viewer.is_there()) warm_up(**place, ways.front());
  for (const Pace& pace : kPaces) measure(**place, ways, pace, rounds);
  return 0;
}
