#pragma once
// What the second process does: for each run it gets a cell and descriptors, does its half, answers with what it
// measured.

#include "interop/peer_channel.hpp"
#include "seamtest/workplace.hpp"

namespace seamscope::seamtest {

// Serves until the other end is closed. Returns the process's exit code.
int serve_peer(interop::PeerChannel channel);

constexpr int kSetUpMs = 60'000, kResultMs = 120'000;

}  // namespace seamscope::seamtest
