#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "interop/fd_table.hpp"
#include "interop/peer_channel.hpp"
#include "interop/slots.hpp"

using namespace seamscope;
using namespace seamscope::interop;

TEST_CASE("slots: the reader's slot follows from the producer's one index") {
  for (const uint32_t slots : {1u, 2u, 3u, 8u}) {
    SlotRing ring(slots);
    CHECK(ring.latest().frame == 0);
    for (uint64_t frame = 1; frame <= 20; ++frame) {
      const auto write = ring.next_write();
      CHECK(write.frame == frame);
      CHECK(write.slot == frame % slots);
      // The frame that was in this slot before is the one to be waited for.
      const auto before = ring.predecessor(frame);
      CHECK(before == (frame > slots ? frame - slots : 0));
      if (before) CHECK(before % slots == write.slot);
      ring.publish();
      CHECK(ring.latest().frame == frame);
      CHECK(ring.latest().slot == write.slot);
    }
  }
}

TEST_CASE("slots: a skipped frame leaves the index, so the last good frame stays visible") {
  SlotRing ring(2);
  ring.publish();
  const auto good = ring.latest();
  CHECK(ring.next_write().frame == 2);  // written, then given up
  CHECK(ring.latest().frame == good.frame);
  CHECK(ring.next_write().slot == 0);
}

namespace {

struct Pair {
  PeerChannel a, b;
};
Pair make_pair_of_channels() {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  return {PeerChannel(UniqueFd(ends[0])), PeerChannel(UniqueFd(ends[1]))};
}

}  // namespace

TEST_CASE("peer channel: texts with descriptors, which end with their owner") {
  const size_t before = open_fd_count();
  {
    auto [a, b] = make_pair_of_channels();
    const UniqueFd mine(open("/dev/null", O_RDONLY | O_CLOEXEC));
    REQUIRE(a.send({{"hello", 1}}, {mine.get(), mine.get()}));
    auto message = b.receive(1000);
    REQUIRE(message);
    CHECK(message->body["hello"] == 1);
    REQUIRE(message->fds.size() == 2);
    CHECK((fcntl(message->fds[0].get(), F_GETFD) & FD_CLOEXEC) != 0);
    REQUIRE(a.send({{"unread", true}}, {mine.get()}));  // goes with the socket
  }
  CHECK(open_fd_count() == before);
}

TEST_CASE("peer channel: numbers pass between texts, silence and an end are errors that say so") {
  auto [a, b] = make_pair_of_channels();
  REQUIRE(a.send_number(41));
  CHECK(*b.receive_number(1000) == 41);
  REQUIRE(a.send_number(42));
  REQUIRE(a.send({{"result", 1}}));
  CHECK((*b.receive(1000)).body["result"] == 1);  // the late number is dropped
  REQUIRE(a.send({{"error", "no"}}));
  CHECK(b.receive_number(1000).error().message.find("gave up") != std::string::npos);
  CHECK(b.receive(0).error().message.find("did not answer") != std::string::npos);
  { const PeerChannel gone = std::move(a); }
  CHECK(b.receive(1000).error().message == "The other process ended.");
  CHECK(b.send({{"late", 1}}).error().message.find("sendmsg") == 0);
}
