// Runs the snippets that need no GPU: fd ownership, the double buffer and its skipped frames, the finalize guard, the
// teardown order of inverted ownership, the scheduling workaround.

#include <cstdlib>
#include <cstring>
#include <string>

#include "closes.hpp"
#include "double_buffer.hpp"
#include "expect.hpp"
#include "fd_growth.hpp"
#include "finalize_guard.hpp"
#include "inverted_ownership.hpp"
#include "max_connections.hpp"
#include "unique_fd.hpp"

namespace {

bool is_open(int fd) {
  return fcntl(fd, F_GETFD) != -1;
}
int open_null() {
  return open("/dev/null", O_RDONLY);
}

void unique_fd_closes_once_and_gives_away() {
  const int first = open_null();
  {
    UniqueFd owner(first);
    UniqueFd moved(std::move(owner));
    EXPECT(owner.get() == -1 && moved.get() == first);
  }
  EXPECT(!is_open(first));
  UniqueFd given(open_null());
  const int raw = given.release();
  given.reset();
  EXPECT(is_open(raw));
  close(raw);
  UniqueFd zero(dup(0));
  zero = UniqueFd();  // assignment closes what was owned
  EXPECT(zero.get() == -1);
}

void double_buffer_never_reads_the_slot_that_is_written() {
  DoubleBuffer buffer;
  EXPECT(buffer.latest().ready_value == 0);
  for (uint64_t frame = 1; frame <= 100; ++frame) {
    const auto write = buffer.next_write();
    EXPECT(write.ready_value == frame && write.index < 2);
    EXPECT(buffer.latest().index == 1 - write.index);
    const auto before = buffer.latest();
    EXPECT(buffer.next_write().index == write.index);  // skipped: nothing moves
    EXPECT(buffer.latest().ready_value == before.ready_value);
    buffer.publish();
    EXPECT(buffer.latest().index == write.index && buffer.latest().ready_value == frame);
  }
}

void rebuild_after_finalize_is_refused() {
  int uploads = 0;
  size_t size = 0;
  GeometryMirror mirror({1, 2, 3}, [&](const std::vector<float>& v) { ++uploads, size = v.size(); });
  mirror.rebuild();
  mirror.finalize();
  EXPECT(throws<std::logic_error>([&] { mirror.rebuild(); }));
  EXPECT(uploads == 2 && size == 3);
}

std::string log;

struct Allocation {
  explicit Allocation(std::string name) : name(std::move(name)) {}
  ~Allocation() { log += "free " + name + ", "; }
  UniqueFd export_fd() const { return UniqueFd(open_null()); }
  size_t size() const { return 4; }
  std::string name;
};

struct Renderer {
  ~Renderer() { log += "renderer gone, "; }
  void wait_idle() { log += "idle, "; }
  void import_target(UniqueFd fd, size_t) { log += is_open(fd.get()) ? "import, " : "closed fd, "; }
};

void renderer_goes_before_the_memory_it_writes() {
  {
    InvertedSeam<Allocation, Renderer> seam(std::make_unique<Allocation>("A"), std::make_unique<Renderer>());
    seam.replace(std::make_unique<Allocation>("B"));
    EXPECT(log == "idle, import, free A, ");
    log.clear();
  }
  EXPECT(log == "idle, renderer gone, free B, ");
}

void workaround_keeps_the_users_choice() {
  unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
  apply_scheduling_workaround();
  EXPECT(std::strcmp(std::getenv("CUDA_DEVICE_MAX_CONNECTIONS"), "1") == 0);
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "8", 1);
  apply_scheduling_workaround();
  EXPECT(std::strcmp(std::getenv("CUDA_DEVICE_MAX_CONNECTIONS"), "8") == 0);
}

void fd_growth_is_noticed_and_stability_is_not() {
  expect_no_fd_growth(5, [] { UniqueFd fd(open_null()); });
  std::vector<UniqueFd> leaked;
  EXPECT(throws<std::runtime_error>([&] { expect_no_fd_growth(2, [&] { leaked.emplace_back(open_null()); }); }));
}

}  // namespace

int main() {
  unique_fd_closes_once_and_gives_away();
  double_buffer_never_reads_the_slot_that_is_written();
  rebuild_after_finalize_is_refused();
  renderer_goes_before_the_memory_it_writes();
  workaround_keeps_the_users_choice();
  fd_growth_is_noticed_and_stability_is_not();
  EXPECT(closed_twice == 0);
  return 0;
}
