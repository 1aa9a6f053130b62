// The hub goes, says no, or says nonsense, at every point of the protocol; and fork.

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "interop/fd_table.hpp"
#include "publisher_session.hpp"

namespace seamscope::test {
namespace {

int publish_square(const char* name = "a", uint32_t side = 32) {
  static const std::vector<uint8_t> pixels(512 * 512 * 4, 9);
  const auto desc = frame_of(side, side);
  return seamscope_publish_host(name, pixels.data(), &desc);
}

// A frame arrives again after whatever came before.
bool recovers(TestHub& hub) {
  const auto output = watch(hub, "a");
  return output && first_frame(
                       hub, *output, [] { publish_square(); }, 5000);
}

}  // namespace

TEST_CASE("publisher: the hub hangs up at any point and a later one gets frames") {
  const std::vector<std::pair<const char*, std::function<void(TestHub&)>>> points = {
      {"before it accepts", [](TestHub&) {}},
      {"after it accepted", [](TestHub& hub) { hub.accept(); }},
      {"after the greeting", [](TestHub& hub) { hub.connect(); }},
      {"after an output was named", [](TestHub& hub) { hub.connect(), hub.pump(20); }},
      {"after it wanted one", [](TestHub& hub) { watch(hub, "a"), publish_square(); }},
      {"after a ring was offered",
       [](TestHub& hub) {
         if (watch(hub, "a")) publish_square(), hub.receive(1000);
       }},
      {"while a slot is read",
       [](TestHub& hub) {
         const auto output = watch(hub, "a");
         if (output && first_frame(hub, *output, [] { publish_square(); })) publish_square(), hub.begin_read(*output);
       }},
      {"while a larger ring is offered",
       [](TestHub& hub) {
         const auto output = watch(hub, "a");
         if (output && first_frame(hub, *output, [] { publish_square(); })) publish_square("a", 512), hub.receive(1000);
       }},
  };
  TestHub first;
  const PublisherSession session(first.path());
  for (const auto& [name, reach] : points) {
    CAPTURE(name);
    publish_square();
    reach(first);
    first.hang_up();
    for (int i = 0; i < 20; ++i) publish_square();  // into nothing
    CHECK(recovers(first));
    first.hang_up();
  }
}

TEST_CASE("publisher: descriptors do not grow over reconnections") {
  TestHub hub;
  const PublisherSession session(hub.path());
  REQUIRE(recovers(hub));
  hub.hang_up();
  REQUIRE(recovers(hub));
  const size_t before = interop::open_fd_count();
  for (int i = 0; i < 3; ++i) {
    hub.hang_up();
    REQUIRE(recovers(hub));
    CHECK(interop::open_fd_count() == before);
  }
}

TEST_CASE("publisher: closing gives everything back and opening again works") {
  TestHub hub;
  size_t before = 0;
  for (int i = 0; i < 3; ++i) {
    {
      const PublisherSession session(hub.path());
      REQUIRE(recovers(hub));
    }
    hub.hang_up();
    if (i == 0) before = interop::open_fd_count();
    CHECK(interop::open_fd_count() == before);
  }
}

TEST_CASE("publisher: a hub that restarts under another name in the same folder is found") {
  TestHub first;
  const PublisherSession session(first.path());
  REQUIRE(recovers(first));
  first.stop();
  TestHub second({}, first.folder(), "2");
  publish_square();
  CHECK(recovers(second));
}

TEST_CASE("publisher: refusals") {
  SUBCASE("of a ring of host memory: the output is left alone, the next connection tries again") {
    HubOptions options;
    options.answers_rings = false;
    TestHub hub(options);
    const PublisherSession session(hub.path());
    const auto output = watch(hub, "a");
    REQUIRE(output);
    publish_square();
    REQUIRE(hub.pump_until([&] { return hub.rings_offered() == 1; }));
    hub.refuse_ring(*output, 1, SEAMSCOPE_REFUSED_MEMORY);
    for (int i = 0; i < 20; ++i) {
      CHECK(publish_square() == SEAMSCOPE_SKIPPED);
      hub.pump(2);
    }
    CHECK(hub.rings_offered() == 1);
    hub.hang_up();
    REQUIRE(watch(hub, "a"));
    publish_square();
    CHECK(hub.pump_until([&] { return hub.rings_offered() == 2; }));
  }
  SUBCASE("of the connection") {
    TestHub hub;
    const PublisherSession session(hub.path());
    publish_square();
    REQUIRE(hub.accept());
    REQUIRE(hub.receive(3000));
    seamscope_refused message{};
    message.header = {SEAMSCOPE_WIRE_MAGIC, SEAMSCOPE_WIRE_VERSION, SEAMSCOPE_REFUSED, sizeof message, 0};
    message.code = SEAMSCOPE_REFUSED_VERSION;
    hub.send(&message, sizeof message);
    CHECK_FALSE(hub.receive(3000));  // it hangs up by itself
    CHECK_FALSE(hub.is_connected());
    CHECK(recovers(hub));
  }
}

TEST_CASE("publisher: nonsense from the other side ends the connection and nothing else") {
  TestHub hub;
  const PublisherSession session(hub.path());
  std::vector<std::vector<uint8_t>> messages = {{1}, std::vector<uint8_t>(64, 0xFF), std::vector<uint8_t>(1024, 0)};
  seamscope_ring_answer answer{};
  answer.header = {SEAMSCOPE_WIRE_MAGIC, SEAMSCOPE_WIRE_VERSION, SEAMSCOPE_RING_ACCEPTED, sizeof answer - 8, 0};
  const auto* bytes = reinterpret_cast<const uint8_t*>(&answer);
  messages.emplace_back(bytes, bytes + sizeof answer);
  for (const auto& message : messages) {
    publish_square();
    REQUIRE(hub.connect());
    hub.send(message.data(), message.size());
    REQUIRE(hub.pump_until([&] { return !hub.is_connected(); }));
  }
  // Answers about what was never offered are passed over.
  publish_square();
  REQUIRE(hub.connect());
  hub.answer(SEAMSCOPE_RING_ACCEPTED, 0, 77);
  hub.answer(SEAMSCOPE_RING_RELEASED, 0, 77);
  hub.answer(SEAMSCOPE_RING_REFUSED, 0, 77);
  hub.answer(SEAMSCOPE_RING_ACCEPTED, 4'000'000'000u, 1);
  CHECK(recovers(hub));
}

TEST_CASE("publisher: a hub that stops reading stops nobody") {
  TestHub hub;
  const PublisherSession session(hub.path());
  const auto output = watch(hub, "a");
  REQUIRE(output);
  REQUIRE(first_frame(hub, *output, [] { publish_square(); }));
  int published = 0;
  for (int i = 0; i < 20'000; ++i) published += publish_square() == SEAMSCOPE_PUBLISHED;
  CHECK(published == 20'000);  // the socket is full of doorbells by now
  hub.pump(50);
  CHECK(hub.doorbells() > 0);
  CHECK(hub.take(*output));
}

TEST_CASE("publisher: a forked child publishes on its own connection, its parent on the old one") {
  TestHub hub;
  const PublisherSession session(hub.path());
  REQUIRE(recovers(hub));
  const pid_t child = fork();
  if (child == 0) {
    setenv("SEAMSCOPE_SOCKET", hub.path().c_str(), 1);
    for (int i = 0; i < 2000; ++i) {
      publish_square("child's");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    _exit(0);
  }
  TestHub* parents = &hub;
  CHECK(first_frame(*parents, *parents->find("a"), [] { publish_square(); }));
  hub.hang_up();
  // The child's and the parent's new connection come in either order.
  int found = 0;
  for (int i = 0; i < 2; ++i) {
    publish_square();
    REQUIRE(hub.connect());
    found |= hub.hello().pid == static_cast<uint32_t>(child) ? 1 : 2;
    hub.hang_up();
    if (found == 3) break;
  }
  CHECK((found & 1) == 1);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
}

}  // namespace seamscope::test
