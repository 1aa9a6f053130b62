// A publisher that is killed or stopped at any point of the protocol.

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "hub_fixture.hpp"
#include "interop/fd_table.hpp"

using namespace seamscope;
using namespace seamscope::test;
using frames::OutputState;

namespace {

// What a publisher does from its start up to a point; the last step is the number of them.
constexpr int kSteps = 12;

// Then it gets the signal, with everything open.
void go(const std::string& path, int steps, int signal_number) {
  TestPublisher publisher(path);
  const auto step = [&](int number, auto&& action) {
    if (steps >= number) action();
  };
  const seamscope_frame_desc desc = rgba(8, 4);
  step(1, [&] { publisher.hello("killed"); });
  step(2, [&] { publisher.answer(); });
  step(3, [&] { publisher.output(0, "color", desc); });
  step(4, [&] { publisher.offer(TestPublisher::host_ring(0, 1, 3, 128)); });
  step(5, [&] { publisher.answer(); });
  step(6, [&] { publisher.state(0, 1, 2).store(SEAMSCOPE_SLOT_WRITING); });
  step(7, [&] { publisher.publish(desc, std::byte{1}, false); });
  step(8, [&] { publisher.publish(desc, std::byte{2}); });
  step(9, [&] { publisher.offer(TestPublisher::host_ring(0, 2, 2, 4096)); });
  step(10, [&] {
    publisher.answer();
    publisher.publish(desc, std::byte{3});
  });
  step(11, [&] {
    for (int i = 0; i < 500; ++i) publisher.publish(desc, std::byte(i));
  });
  step(12, [&] { publisher.send(message_of<seamscope_ring_answer>(SEAMSCOPE_OUTPUT_GONE)); });
  kill(getpid(), signal_number);
}

// Runs the steps in a process of its own, which then gets the signal from itself.
pid_t run(const std::string& path, int steps, int signal_number) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  go(path, steps, signal_number);
  _exit(0);
}

}  // namespace

TEST_CASE("killed at each point of the protocol, watched") {
  const HubFixture fixture;
  const size_t before = interop::open_fd_count();
  for (int steps = 0; steps <= kSteps; ++steps) {
    CAPTURE(steps);
    const pid_t child = run(fixture.hub->path(), steps, SIGKILL);
    REQUIRE(child > 0);
    std::unique_ptr<FrameSource> source;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (!source && fixture.info("pub:killed")) {
        auto opened = fixture.hub->open_source("pub:killed");
        if (opened) source = *std::move(opened);
        if (source) source->want(Watched::only, 30);
      }
      if (source && !source->outputs().empty()) CHECK(source->render(0, Watched::only));
    }
    CHECK(WIFSIGNALED(status));
    CHECK(eventually([&] {
      const auto info = fixture.info("pub:killed");
      return !info || !info->connected;
    }));
    if (source && !source->outputs().empty()) CHECK(source->render(0, Watched::only));
  }
  CHECK(eventually([&] { return fixture.hub->list().empty() && interop::open_fd_count() == before; }));
}

TEST_CASE("a stopped publisher costs nothing, keeps its last frame and is called silent") {
  const HubFixture fixture;
  const pid_t child = run(fixture.hub->path(), 8, SIGSTOP);
  REQUIRE(child > 0);
  const auto source = fixture.open("pub:killed");
  REQUIRE(eventually([&] { return !source->outputs().empty(); }));
  source->want(Watched::only, 30);
  REQUIRE(eventually([&] {
    const auto frame = source->render(0, Watched::only);
    return frame && *frame && (*frame)->number() == 2;
  }));
  CHECK(eventually([&] { return fixture.output("pub:killed")->state == OutputState::Silent; }));
  CHECK(fixture.output("pub:killed")->note.find("No frame for") != std::string::npos);
  CHECK((*source->render(0, Watched::only))->number() == 2);
  Watched other(fixture);
  REQUIRE(other.publisher.publish(rgba(8, 4), std::byte{1}));
  CHECK(other.newest()->number() == 1);

  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(eventually([&] { return fixture.output("pub:killed")->state == OutputState::Gone; }));
  CHECK((*source->render(0, Watched::only))->number() == 2);
}
