#pragma once
// The second process of a two-process run. It is started from a command, keeps its devices for many runs, and dies with
// this process whatever happens.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "interop/peer_channel.hpp"

namespace seamscope::seamtest {

// The descriptor at which a peer finds its socket.
constexpr int kPeerFd = 4;

class PeerProcess {
 public:
  explicit PeerProcess(std::vector<std::string> command) : command_(std::move(command)) {}
  ~PeerProcess() { stop(); }
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  // Starts it when it does not run.
  Result<interop::PeerChannel*> channel();
  // After a failure: the next run gets a fresh one.
  void stop();

 private:
  std::vector<std::string> command_;
  std::optional<interop::PeerChannel> channel_;
  pid_t pid_ = -1;
};

// Kills this process as soon as `parent`, which started it, is gone. False when it is gone already.
bool die_with_parent(pid_t parent);

}  // namespace seamscope::seamtest
