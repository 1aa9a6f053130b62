#pragma once
// The descriptors that came with a message of a Unix socket (SCM_RIGHTS), owned.

#include <sys/socket.h>

#include <vector>

#include "base/unique_fd.hpp"

namespace seamscope {

// To be called once after recvmsg: the descriptors are open in this process from then on.
std::vector<UniqueFd> received_fds(msghdr& message);

}  // namespace seamscope
