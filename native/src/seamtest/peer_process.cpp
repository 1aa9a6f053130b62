#include "seamtest/peer_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

extern char** environ;

namespace seamscope::seamtest {

Result<interop::PeerChannel*> PeerProcess::channel() {
  if (channel_) return &*channel_;
  const auto failed = [&](const char* call, int number) {
    return Error{std::string("The second process cannot be started: ") + call + ": " + std::strerror(number) + ".",
                 "Check the limits of processes and descriptors (ulimit -u, ulimit -n).", std::strerror(number)};
  };
  if (command_.empty()) return failed("no command", ENOENT);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return failed("socketpair", errno);
  UniqueFd mine(ends[0]), theirs(ends[1]);
  // dup2 onto itself would leave close-on-exec set.
  if (theirs.get() == kPeerFd) theirs.reset(fcntl(theirs.get(), F_DUPFD_CLOEXEC, kPeerFd + 1));
  std::vector<char*> arguments;
  for (auto& argument : command_) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), kPeerFd);
  const int result = posix_spawnp(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (result != 0) {
    pid_ = -1;
    return failed("posix_spawn", result);
  }
  channel_.emplace(std::move(mine));
  return &*channel_;
}

void PeerProcess::stop() {
  channel_.reset();
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

bool die_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return getppid() == parent;  // it may have died before the line above
}

}  // namespace seamscope::seamtest
