#include "interop/peer_channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/received_fds.hpp"

namespace seamscope::interop {
namespace {

constexpr size_t kMaxBytes = 60'000, kMaxFds = 64;
constexpr char kNumber = '#';  // a JSON text starts with '{'

Error failed(const char* call) {
  return Error{std::string(call) + " to the other process failed: " + std::strerror(errno) + ".",
               "Run the test again; look at its last messages for a crash of the other process.", std::strerror(errno)};
}

Error gone(const std::string& what) {
  return Error{"The other process " + what + ".", "Look at its last messages: a driver may have crashed or hung there.",
               ""};
}

}  // namespace

Result<void> PeerChannel::send(const nlohmann::json& body, const std::vector<int>& fds) {
  const std::string text = body.dump();
  iovec part{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxFds * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size() * sizeof(int));
  }
  if (sendmsg(socket_.get(), &message, MSG_NOSIGNAL) < 0) return failed("sendmsg");
  return {};
}

Result<void> PeerChannel::send_number(uint64_t value) {
  char bytes[1 + sizeof value] = {kNumber};
  std::memcpy(bytes + 1, &value, sizeof value);
  if (::send(socket_.get(), bytes, sizeof bytes, MSG_NOSIGNAL) < 0) return failed("send");
  return {};
}

Result<PeerChannel::Packet> PeerChannel::receive_packet(int timeout_ms) {
  pollfd wait{socket_.get(), POLLIN, 0};
  const int ready = poll(&wait, 1, timeout_ms);
  if (ready < 0) return failed("poll");
  if (ready == 0) return gone("did not answer within " + std::to_string(timeout_ms / 1000) + " s");
  Packet packet;
  packet.bytes.resize(kMaxBytes);
  iovec part{packet.bytes.data(), packet.bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxFds * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t count = recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
  if (count < 0) return failed("recvmsg");
  packet.fds = received_fds(message);
  if (count == 0) return gone("ended");
  packet.bytes.resize(static_cast<size_t>(count));
  return packet;
}

Result<PeerMessage> PeerChannel::receive(int timeout_ms) {
  for (;;) {
    auto packet = receive_packet(timeout_ms);
    if (!packet) return packet.error();
    if (packet->bytes[0] == kNumber) continue;
    PeerMessage message{nlohmann::json::parse(packet->bytes, nullptr, false), std::move(packet->fds)};
    if (!message.body.is_object()) return gone("sent a message that is no JSON object");
    return message;
  }
}

Result<uint64_t> PeerChannel::receive_number(int timeout_ms) {
  auto packet = receive_packet(timeout_ms);
  if (!packet) return packet.error();
  uint64_t value = 0;
  if (packet->bytes.size() != 1 + sizeof value || packet->bytes[0] != kNumber)
    return gone("gave up: " + std::string(packet->bytes.begin(), packet->bytes.end()));
  std::memcpy(&value, packet->bytes.data() + 1, sizeof value);
  return value;
}

}  // namespace seamscope::interop
