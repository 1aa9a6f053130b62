#include "frames/packet_socket.hpp"

#include <sys/socket.h>

#include <cerrno>

#include "base/received_fds.hpp"

namespace seamscope::frames {
namespace {

// More than any publisher that reads its socket can be owed.
constexpr size_t kMostQueued = 4 * SEAMSCOPE_MAX_OUTPUTS;

}  // namespace

Packet PacketSocket::receive() {
  Packet packet;
  packet.bytes.resize(SEAMSCOPE_MAX_MESSAGE);
  iovec part{packet.bytes.data(), packet.bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(SEAMSCOPE_MAX_SLOTS * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t count;
  do count = recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  while (count < 0 && errno == EINTR);
  if (count < 0) {
    packet.kind = errno == EAGAIN || errno == EWOULDBLOCK ? Packet::Kind::Nothing : Packet::Kind::Ended;
    return packet;
  }
  packet.fds = received_fds(message);
  packet.bytes.resize(static_cast<size_t>(count));
  const bool cut = message.msg_flags & (MSG_TRUNC | MSG_CTRUNC);
  packet.kind = cut ? Packet::Kind::TooLong : count == 0 ? Packet::Kind::Ended : Packet::Kind::Message;
  return packet;
}

PacketSocket::Sent PacketSocket::try_send(std::span<const std::byte> bytes) {
  ssize_t count;
  do count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  while (count < 0 && errno == EINTR);
  if (count >= 0) return Sent::Yes;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? Sent::Later : Sent::Never;
}

bool PacketSocket::send(std::span<const std::byte> bytes) {
  if (queued_.empty()) {
    const Sent sent = try_send(bytes);
    if (sent != Sent::Later) return sent == Sent::Yes;
  }
  if (queued_.size() >= kMostQueued) return false;
  queued_.emplace_back(bytes.begin(), bytes.end());
  return true;
}

bool PacketSocket::flush() {
  while (!queued_.empty()) {
    const Sent sent = try_send(queued_.front());
    if (sent == Sent::Later) return true;
    if (sent == Sent::Never) return false;
    queued_.pop_front();
  }
  return true;
}

}  // namespace seamscope::frames
