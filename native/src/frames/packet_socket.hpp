#pragma once
// One packet at a time over a non-blocking SOCK_SEQPACKET socket, with descriptors beside it.

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "base/unique_fd.hpp"
#include "frames/wire.hpp"

namespace seamscope::frames {

struct Packet {
  enum class Kind { Message, Nothing, TooLong, Ended };
  Kind kind = Kind::Nothing;
  std::vector<std::byte> bytes;
  std::vector<UniqueFd> fds;  // closed with the packet unless they are taken
};

class PacketSocket {
 public:
  explicit PacketSocket(UniqueFd socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }
  // Never waits. TooLong: bytes or descriptors were cut off.
  Packet receive();

  // Sent now, or queued until flush(); false when the peer has let too many answers pile up or is gone.
  bool send(std::span<const std::byte> bytes);
  bool flush();
  bool has_queued() const { return !queued_.empty(); }

 private:
  enum class Sent { Yes, Later, Never };
  Sent try_send(std::span<const std::byte> bytes);

  UniqueFd socket_;
  std::deque<std::vector<std::byte>> queued_;
};

}  // namespace seamscope::frames
