// Threads publish as fast as they can while a hub reads slowly, hangs up and comes back. Built with ThreadSanitizer.
// Every frame holds one number in all its texels: a torn frame would show two. Ends with 0 when none did.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "publisher_session.hpp"

// A connection's page takes the place of the last one's at the same address while others read it, see
// ssc_shared_memory. The kernel does that in one step; ThreadSanitizer takes it for a write. Its library has to see
// this.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race:ssc_shared_memory\nrace:ssc_blank_page\n";
}

namespace {

using seamscope::test::frame_of;
using seamscope::test::HubFrame;
using seamscope::test::TestHub;

constexpr uint32_t kSide = 64, kTexels = kSide * kSide;
constexpr int kThreads = 4;
std::atomic<bool> ended{false};
std::atomic<uint64_t> attempts{0}, taken{0};

// All publish to one output, and each to one of its own whose size changes.
void publish_all_along(int thread) {
  std::vector<uint32_t> pixels(size_t{4} * kTexels);
  const std::string own = "own " + std::to_string(thread);
  for (uint32_t number = static_cast<uint32_t>(thread); !ended; number += kThreads) {
    for (uint32_t& texel : pixels) texel = number;
    const auto shared = frame_of(kSide, kSide, SEAMSCOPE_U32, 1);
    const auto varying = frame_of(1 + number % 128, 1 + number / 7 % 128, SEAMSCOPE_U32, 1);
    taken += seamscope_publish_host("shared", pixels.data(), &shared) == SEAMSCOPE_PUBLISHED;
    taken += seamscope_publish_host(own.c_str(), pixels.data(), &varying) == SEAMSCOPE_PUBLISHED;
    attempts += 2;
  }
}

struct Seen {
  uint64_t frames = 0, torn = 0, backwards = 0;
};

bool is_whole(const std::byte* slot, const seamscope_frame_desc& desc) {
  const auto* texels = reinterpret_cast<const uint32_t*>(slot + desc.offset);
  const size_t count = size_t{desc.width} * desc.height;
  for (size_t i = 1; i < count; ++i)
    if (texels[i] != texels[0]) return false;
  return true;
}

void read_one(TestHub& hub, uint32_t output, uint64_t& last, Seen& seen) {
  const auto frame = hub.begin_read(output);
  if (!frame) return;
  const std::byte* slot = hub.ring(output)->slot(frame->slot);
  const bool before = is_whole(slot, frame->header.desc);
  std::this_thread::sleep_for(std::chrono::microseconds(300));  // slower than the publishers by far
  ++seen.frames;
  seen.torn += !before || !is_whole(slot, frame->header.desc);
  seen.backwards += frame->header.frame <= last;
  last = frame->header.frame;
  hub.end_read(output, *frame);
}

void read_for(TestHub& hub, std::chrono::milliseconds time, Seen& seen) {
  const auto end = std::chrono::steady_clock::now() + time;
  std::map<uint32_t, uint64_t> last;
  while (std::chrono::steady_clock::now() < end) {
    hub.pump(0);
    for (const auto& [index, message] : hub.outputs()) {
      hub.want(index);
      read_one(hub, index, last[index], seen);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 4;
  TestHub hub;
  const seamscope::test::PublisherSession session(hub.path());
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(publish_all_along, i);
  Seen seen;
  int connections = 0;
  for (int round = 0; round < rounds; ++round) {
    connections += hub.connect();
    read_for(hub, std::chrono::milliseconds(400), seen);
    hub.hang_up();
  }
  ended = true;
  for (std::thread& thread : threads) thread.join();
  std::printf("%d connections, %llu publishes, %llu taken, %llu read, %llu torn, %llu backwards\n", connections,
              static_cast<unsigned long long>(attempts), static_cast<unsigned long long>(taken),
              static_cast<unsigned long long>(seen.frames), static_cast<unsigned long long>(seen.torn),
              static_cast<unsigned long long>(seen.backwards));
  return connections == rounds && seen.frames > 0 && seen.torn == 0 && seen.backwards == 0 ? 0 : 1;
}
