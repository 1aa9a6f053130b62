// Publishers that lie, break the order or stop: no crash, no hang, no wrong frame, and the reason is said.

#include <limits>

#include "hub_fixture.hpp"
#include "interop/fd_table.hpp"

using namespace seamscope;
using namespace seamscope::test;
using frames::OutputState;

namespace {

// What the hub answers to a greeting that carries this descriptor.
uint32_t greeting_code(const HubFixture& fixture, int fd) {
  TestPublisher publisher(fixture.hub->path());
  REQUIRE(publisher.send(TestPublisher::hello_of("test"), {fd}));
  const auto answer = publisher.answer();
  REQUIRE(answer);
  CHECK(answer->header.type == SEAMSCOPE_REFUSED);
  CHECK_FALSE(answer->reason.empty());
  CHECK_FALSE(publisher.answer());  // and it hangs up
  return answer->code;
}

struct Named {
  explicit Named(const HubFixture& fixture) : publisher(fixture.hub->path()) {
    REQUIRE(publisher.hello("test"));
    REQUIRE(publisher.answered(SEAMSCOPE_WELCOME));
    REQUIRE(publisher.output(0, "color", rgba(8, 4)));
  }
  TestPublisher publisher;
};

uint32_t code_of(TestPublisher& publisher, uint16_t type) {
  const auto answer = publisher.answer();
  REQUIRE(answer);
  CHECK(answer->header.type == type);
  return answer->code;
}

// Greets again: the hub is well.
void check_alive(const HubFixture& fixture) {
  TestPublisher publisher(fixture.hub->path());
  REQUIRE(publisher.hello("alive"));
  CHECK(publisher.answered(SEAMSCOPE_WELCOME));
}

}  // namespace

TEST_CASE("a control page must be a sealed memfd of the right size and version") {
  const HubFixture fixture;
  const auto code = [&](const UniqueFd& fd) { return greeting_code(fixture, fd.get()); };
  const uint64_t size = sizeof(seamscope_control);
  CHECK(code(memory_of(size, 0)) == SEAMSCOPE_REFUSED_CONTROL);
  CHECK(code(memory_of(size, F_SEAL_SHRINK)) == SEAMSCOPE_REFUSED_CONTROL);
  CHECK(code(memory_of(size - 1)) == SEAMSCOPE_REFUSED_CONTROL);
  CHECK(code(memory_of(size + 4096)) == SEAMSCOPE_REFUSED_CONTROL);
  CHECK(code(memory_of(size)) == SEAMSCOPE_REFUSED_CONTROL);  // zeroes are no version
  CHECK(code(memory_of(size, kAllSeals | F_SEAL_WRITE)) == SEAMSCOPE_REFUSED_CONTROL);
  CHECK(code(UniqueFd(open("/dev/null", O_RDWR | O_CLOEXEC))) == SEAMSCOPE_REFUSED_CONTROL);
  CHECK(code(UniqueFd(open("/tmp", O_RDONLY | O_CLOEXEC))) == SEAMSCOPE_REFUSED_CONTROL);
  CHECK(code(UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))) == SEAMSCOPE_REFUSED_CONTROL);
  check_alive(fixture);
}

TEST_CASE("another version is refused by name, whatever else it sends") {
  const HubFixture fixture;
  for (const uint16_t version : {0, 2, 65535}) {
    TestPublisher publisher(fixture.hub->path());
    auto hello = TestPublisher::hello_of("test");
    hello.header.version = version;
    REQUIRE(publisher.send(hello, {publisher.control_fd()}));
    CHECK(code_of(publisher, SEAMSCOPE_REFUSED) == SEAMSCOPE_REFUSED_VERSION);
    CHECK_FALSE(publisher.answer());
  }
}

TEST_CASE("malformed messages end the connection with a reason") {
  const HubFixture fixture;
  using Break = void (*)(TestPublisher&);
  const Break breaks[] = {
      [](TestPublisher& p) { p.send_bytes("x", 1); },
      [](TestPublisher& p) { p.send_bytes(std::string(1025, 'x').data(), 1025); },
      [](TestPublisher& p) { p.send_bytes(std::string(100, 'x').data(), 100); },
      [](TestPublisher& p) { p.hello("again"); },
      [](TestPublisher& p) { p.send(message_of<seamscope_welcome>(SEAMSCOPE_WELCOME)); },
      [](TestPublisher& p) { p.send(message_of<seamscope_ring_answer>(77)); },
      [](TestPublisher& p) { p.output(SEAMSCOPE_MAX_OUTPUTS, "color", rgba(8, 4)); },
      [](TestPublisher& p) { p.output(0, "color", rgba(8, 4)); },                 // named already
      [](TestPublisher& p) { p.send(TestPublisher::host_ring(0, 1, 2, 128)); },   // without its memory
      [](TestPublisher& p) { p.offer(TestPublisher::host_ring(1, 1, 2, 128)); },  // of an output without a name
      [](TestPublisher& p) { p.offer(TestPublisher::host_ring(0, 2, 2, 128)); },  // the second before the first
      [](TestPublisher& p) { p.offer(TestPublisher::host_ring(0, 0, 2, 128)); },
      [](TestPublisher& p) { p.offer(TestPublisher::host_ring(0, 1, 0, 128)); },
      [](TestPublisher& p) { p.send(TestPublisher::host_ring(0, 1, 9, 128), {p.control_fd()}); },
      [](TestPublisher& p) { p.send(TestPublisher::host_ring(0, 1, 2, 128), std::vector<int>(9, p.control_fd())); },
      [](TestPublisher& p) { p.send(message_of<seamscope_ring_answer>(SEAMSCOPE_DOORBELL), {p.control_fd()}); },
      [](TestPublisher& p) {
        auto ring = TestPublisher::host_ring(0, 1, 2, 128);
        ring.memory = 3;
        p.offer(ring);
      },
      [](TestPublisher& p) {
        auto message = message_of<seamscope_output_message>(SEAMSCOPE_OUTPUT);
        std::memset(message.name, 'n', sizeof message.name);
        message.output = 3;
        p.send(message);
      },
      [](TestPublisher& p) {
        auto status = message_of<seamscope_status>(SEAMSCOPE_STATUS);
        status.output = SEAMSCOPE_MAX_OUTPUTS;
        p.send(status);
      },
  };
  const size_t before = interop::open_fd_count();
  for (const Break& each : breaks) {
    CAPTURE(&each - breaks);
    Named named(fixture);
    each(named.publisher);
    CHECK(code_of(named.publisher, SEAMSCOPE_REFUSED) == SEAMSCOPE_REFUSED_MESSAGE);
    CHECK_FALSE(named.publisher.answer());
  }
  check_alive(fixture);
  CHECK(eventually([&] { return interop::open_fd_count() == before; }));
}

TEST_CASE("nothing counts before the greeting") {
  const HubFixture fixture;
  TestPublisher publisher(fixture.hub->path());
  REQUIRE(publisher.output(0, "color", rgba(8, 4)));
  CHECK(code_of(publisher, SEAMSCOPE_REFUSED) == SEAMSCOPE_REFUSED_MESSAGE);
}

TEST_CASE("who says nothing loses the place") {
  const HubFixture fixture;
  TestPublisher publisher(fixture.hub->path());
  CHECK_FALSE(publisher.answer(15000));
  check_alive(fixture);
}

TEST_CASE("a ring's memory must be sealed, large enough and of its kind; the next offer may be better") {
  const HubFixture fixture;
  Named named(fixture);
  uint32_t generation = 0;
  const auto offered = [&](seamscope_ring ring, const UniqueFd& fd) {
    ring.generation = ++generation;
    REQUIRE(named.publisher.send(ring, {fd.get()}));
    return code_of(named.publisher, SEAMSCOPE_RING_REFUSED);
  };
  const seamscope_ring fine = TestPublisher::host_ring(0, 1, 2, 4096);
  CHECK(offered(fine, memory_of(8192, 0)) == SEAMSCOPE_REFUSED_MEMORY);
  CHECK(offered(fine, memory_of(8191)) == SEAMSCOPE_REFUSED_MEMORY);
  CHECK(offered(fine, memory_of(0)) == SEAMSCOPE_REFUSED_MEMORY);
  CHECK(offered(fine, UniqueFd(open("/dev/zero", O_RDWR | O_CLOEXEC))) == SEAMSCOPE_REFUSED_MEMORY);
  const auto lie = [&](auto change) {
    seamscope_ring ring = fine;
    change(ring);
    return offered(ring, memory_of(8192));
  };
  CHECK(lie([](seamscope_ring& ring) { ring.slot_size = 0; }) == SEAMSCOPE_REFUSED_MEMORY);
  CHECK(lie([](seamscope_ring& ring) { ring.slot_size = UINT64_MAX; }) == SEAMSCOPE_REFUSED_MEMORY);
  CHECK(lie([](seamscope_ring& ring) { ring.slot_size = 4097; }) == SEAMSCOPE_REFUSED_MEMORY);
  CHECK(lie([](seamscope_ring& ring) { ring.slot_stride = 0; }) == SEAMSCOPE_REFUSED_MEMORY);
  CHECK(lie([](seamscope_ring& ring) { ring.slot_stride = UINT64_MAX; }) == SEAMSCOPE_REFUSED_MEMORY);
  CHECK(lie([](seamscope_ring& ring) { ring.allocation_size = 8191; }) == SEAMSCOPE_REFUSED_MEMORY);
  CHECK(lie([](seamscope_ring& ring) { ring.allocation_size = UINT64_MAX; }) == SEAMSCOPE_REFUSED_MEMORY);
  CHECK(fixture.output("pub:test")->state == OutputState::Refused);
  CHECK_FALSE(fixture.output("pub:test")->note.empty());

  seamscope_ring good = fine;
  good.generation = ++generation;
  REQUIRE(named.publisher.offer(good));
  CHECK(code_of(named.publisher, SEAMSCOPE_RING_ACCEPTED) == 0);
  CHECK(fixture.output("pub:test")->note.empty());
}

TEST_CASE("memory that the hub has accepted cannot be taken away") {
  const HubFixture fixture;
  Named named(fixture);
  const UniqueFd memory = memory_of(8192);
  REQUIRE(named.publisher.send(TestPublisher::host_ring(0, 1, 2, 4096), {memory.get()}));
  CHECK(code_of(named.publisher, SEAMSCOPE_RING_ACCEPTED) == 0);
  CHECK(ftruncate(memory.get(), 0) != 0);
  CHECK(fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SEAL) == 0);
}

TEST_CASE("a storm of doorbells and texts takes no place from others") {
  const HubFixture fixture;
  Watched watched(fixture);
  std::atomic<bool> stop{false};
  std::atomic<int> sent{0};
  auto status = message_of<seamscope_status>(SEAMSCOPE_STATUS);
  status.output = frames::kAllOutputs;
  std::strcpy(status.text, "busy");
  std::thread storm([&] {
    while (!stop) {
      watched.publisher.bell(0, 1);
      if (::send(watched.publisher.socket_fd(), &status, sizeof status, MSG_NOSIGNAL | MSG_DONTWAIT) > 0) ++sent;
    }
  });
  CHECK_MESSAGE(eventually([&] { return sent > 100; }), "the storm does not rage");
  for (int i = 0; i < 20; ++i) check_alive(fixture);
  stop = true;
  storm.join();
  // It drops what finds no room; the last word does not.
  std::strcpy(status.text, "calm");
  REQUIRE(watched.publisher.send(status));
  CHECK(eventually([&] {
    const auto info = fixture.info("pub:test");
    return info && !info->notes.empty() && info->notes.back() == "calm";
  }));
}

TEST_CASE("a publisher that never reads its answers is let go") {
  const HubFixture fixture;
  Named named(fixture);
  bool let_go = false;
  for (uint32_t generation = 1; generation < 20000 && !let_go; ++generation)
    let_go = !named.publisher.offer(TestPublisher::host_ring(0, generation, 1, 16));
  CHECK(let_go);
  check_alive(fixture);
}

TEST_CASE("names and texts of strange bytes are cleaned") {
  const HubFixture fixture;
  TestPublisher publisher(fixture.hub->path());
  REQUIRE(publisher.hello("a\x1B[31m\xFF\xC3\xA9"));
  REQUIRE(publisher.answered(SEAMSCOPE_WELCOME));
  CHECK(fixture.info("pub:a?[31m?\xC3\xA9"));
  TestPublisher nameless(fixture.hub->path());
  REQUIRE(nameless.hello(""));
  REQUIRE(nameless.answered(SEAMSCOPE_WELCOME));
  CHECK(fixture.info("pub:process " + std::to_string(getpid())));
}

TEST_CASE("16,384 x 16,384 texels come through") {
  const HubFixture fixture;
  seamscope_frame_desc desc = rgba(16384, 16384);
  desc.channels = 1;
  desc.pixel_stride = 1;
  desc.row_stride = 16384;
  Watched watched(fixture, desc, 1);
  auto& slot = watched.publisher.slot_of(0, 1, 0);
  watched.publisher.slot_bytes(0)[16384ull * 16384 - 1] = std::byte{9};
  slot.generation = 1;
  slot.frame = 1;
  slot.desc = desc;
  watched.publisher.state(0, 1, 0) = SEAMSCOPE_SLOT_READY;
  const auto frame = watched.newest();
  REQUIRE(frame);
  const auto bytes = *frame->host_bytes(0);
  CHECK(bytes.size() == 16384ull * 16384);
  CHECK(bytes.back() == std::byte{9});
}
