// A renderer under control, for the benchmark of what watching costs it. Commands come as lines, each is answered with
// one line of JSON, an error with {"error"}; the end of the input ends it.
//
//   renderer cuda|vulkan WIDTHxHEIGHT MILLISECONDS    of a frame when nothing else happens; first line: {device, ...}
//
//   plain SECONDS           draws and nothing else
//   publish SECONDS         hands each frame to the publisher
//   copy SECONDS [RATE]     waits for each frame and copies it to host memory, or so many a second
//   settle published|unwatched SECONDS     publishes until that many seconds have passed or it is so

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bench_print.hpp"
#include "publisher_session.hpp"
#include "renderer/renderer.hpp"

namespace {

using namespace seamscope::measure;
using seamscope::Error;
using seamscope::Result;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

double since(Clock::time_point begin) {
  return Seconds(Clock::now() - begin).count();
}

struct Block {
  uint64_t frames = 0, published = 0, copied = 0;
  double seconds = 0;
  std::vector<double> publish_us;
};

struct Wanted {
  After after = After::Nothing;
  double seconds = 1, rate = 0;  // rate 0: every frame
};

// As many frames as fit, all of them complete at its end.
Result<Block> draw_block(Renderer& renderer, const Wanted& wanted) {
  if (auto done = renderer.finish(); !done) return done.error();
  Block block;
  const auto begin = Clock::now();
  for (; since(begin) < wanted.seconds; ++block.frames) {
    const bool due = wanted.rate <= 0 || static_cast<double>(block.copied) <= since(begin) * wanted.rate;
    const auto drawn = renderer.draw(due ? wanted.after : After::Nothing);
    if (!drawn) return drawn.error();
    block.copied += due && wanted.after == After::Copy;
    if (drawn->published != SEAMSCOPE_PUBLISHED) continue;
    ++block.published;
    block.publish_us.push_back(drawn->publish_us);
  }
  if (auto done = renderer.finish(); !done) return done.error();
  block.seconds = since(begin);
  return block;
}

// Until three frames were published, or none for 0.3 s because nobody watches.
Result<bool> settle(Renderer& renderer, bool published, double limit) {
  const auto begin = Clock::now();
  auto last = begin;
  int count = 0;
  while (since(begin) < limit) {
    const auto drawn = renderer.draw(After::Publish);
    if (!drawn) return drawn.error();
    count += drawn->published == SEAMSCOPE_PUBLISHED;
    if (drawn->published != SEAMSCOPE_UNWATCHED) last = Clock::now();
    if (published ? count >= 3 : since(last) > 0.3) return true;
  }
  return false;
}

// Finds the rounds that make a frame take that long, from a GPU that is warm.
Result<double> calibrate(Renderer& renderer, double milliseconds) {
  constexpr double kMost = 1 << 20;
  double steps = 16, measured = 0;
  for (int turn = 0; turn < 8; ++turn) {
    renderer.set_steps(static_cast<uint32_t>(steps));
    const auto block = draw_block(renderer, {After::Nothing, 0.3, 0});
    if (!block) return block.error();
    measured = block->seconds * 1000 / static_cast<double>(block->frames);
    const double ratio = milliseconds / measured;
    if (std::abs(ratio - 1) < 0.05 || (ratio < 1 && steps <= 1) || (ratio > 1 && steps >= kMost)) break;
    steps = std::clamp(std::round(steps * std::min(ratio, 32.0)), 1.0, kMost);
  }
  return measured;
}

void print_error(const Error& error) {
  std::printf("{\"error\":\"%s %s\"}\n", error.message.c_str(), error.next_step.c_str());
}

void print_block(const Block& block) {
  const double cost = block.publish_us.empty() ? 0 : seamscope::bench::median(block.publish_us);
  std::printf(R"({"frames":%llu,"seconds":%.6f,"published":%llu,"copied":%llu,"publishUs":%.2f})"
              "\n",
              static_cast<unsigned long long>(block.frames), block.seconds,
              static_cast<unsigned long long>(block.published), static_cast<unsigned long long>(block.copied), cost);
}

void obey(Renderer& renderer, const std::string& line) {
  char word[16] = "", until[16] = "";
  Wanted wanted;
  if (std::sscanf(line.c_str(), "settle %15s %lf", until, &wanted.seconds) == 2) {
    const auto settled = settle(renderer, std::strcmp(until, "published") == 0, wanted.seconds);
    if (!settled) return print_error(settled.error());
    std::printf("{\"settled\":%s}\n", *settled ? "true" : "false");
    return;
  }
  std::sscanf(line.c_str(), "%15s %lf %lf", word, &wanted.seconds, &wanted.rate);
  if (std::strcmp(word, "publish") == 0)
    wanted.after = After::Publish;
  else if (std::strcmp(word, "copy") == 0)
    wanted.after = After::Copy;
  else if (std::strcmp(word, "plain") != 0)
    return print_error(Error{"Not a command: " + line + ".", "", ""});
  const auto block = draw_block(renderer, wanted);
  if (!block) return print_error(block.error());
  print_block(*block);
}

Result<std::unique_ptr<Renderer>> make(const char* api, FrameSize size) {
  if (std::strcmp(api, "cuda") == 0) return make_cuda_renderer(size);
  return make_vulkan_renderer(size);
}

int fail(const Error& error) {
  print_error(error);
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  FrameSize size;
  if (count != 4 || std::sscanf(arguments[2], "%ux%u", &size.width, &size.height) != 2)
    return fail({"Usage: renderer cuda|vulkan WIDTHxHEIGHT MILLISECONDS.", "", ""});
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  seamscope_options options{};
  options.name = "renderer";
  seamscope_open(&options);
  {
    auto renderer = make(arguments[1], size);
    if (!renderer) return fail(renderer.error());
    const auto frame = calibrate(**renderer, std::atof(arguments[3]));
    if (!frame) return fail(frame.error());
    std::printf(R"({"device":"%s","frameMs":%.3f})"
                "\n",
                (*renderer)->device().c_str(), *frame);
    char line[128];
    while (std::fgets(line, sizeof line, stdin)) obey(**renderer, std::string(line, std::strcspn(line, "\n")));
    if (auto done = (*renderer)->finish(); !done) return fail(done.error());
    seamscope_close();
  }
  return 0;
}
