#pragma once
// Messages between the two processes of a seam over a SOCK_SEQPACKET socket: JSON texts with file descriptors
// (SCM_RIGHTS), and bare numbers for the hand-off of frames. Every wait has a time-out.

#include <nlohmann/json.hpp>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace seamscope::interop {

struct PeerMessage {
  nlohmann::json body;
  std::vector<UniqueFd> fds;
};

class PeerChannel {
 public:
  explicit PeerChannel(UniqueFd socket) : socket_(std::move(socket)) {}

  // The descriptors are duplicated into the other process; ours stay open.
  Result<void> send(const nlohmann::json& body, const std::vector<int>& fds = {});
  // Numbers that arrive in between are dropped: their loop is over.
  Result<PeerMessage> receive(int timeout_ms);

  Result<void> send_number(uint64_t value);
  Result<uint64_t> receive_number(int timeout_ms);
  int fd() const { return socket_.get(); }

 private:
  struct Packet {
    std::vector<char> bytes;
    std::vector<UniqueFd> fds;
  };
  Result<Packet> receive_packet(int timeout_ms);

  UniqueFd socket_;
};

}  // namespace seamscope::interop
