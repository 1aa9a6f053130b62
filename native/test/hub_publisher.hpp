#pragma once
// A publisher that does exactly what a test tells it to, right or wrong: raw messages and slots over host memory.

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "frames/hub.hpp"

namespace seamscope::test {

constexpr int kAllSeals = F_SEAL_SHRINK | F_SEAL_GROW;

inline UniqueFd memory_of(uint64_t bytes, int seals = kAllSeals) {
  UniqueFd fd(memfd_create("seamscope-test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0 || fcntl(fd.get(), F_ADD_SEALS, seals) != 0) std::abort();
  return fd;
}

inline std::byte* map(const UniqueFd& fd, uint64_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (address == MAP_FAILED) std::abort();
  return static_cast<std::byte*>(address);
}

inline uint64_t clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

// Tightly packed RGBA8.
inline seamscope_frame_desc rgba(uint32_t width, uint32_t height) {
  seamscope_frame_desc desc{};
  desc.width = width;
  desc.height = height;
  desc.channels = 4;
  desc.batch = 1;
  desc.dtype = SEAMSCOPE_U8;
  desc.row_stride = uint64_t{width} * 4;
  desc.pixel_stride = 4;
  desc.channel_stride = 1;
  return desc;
}

template <typename T>
T message_of(uint16_t type) {
  T message{};
  message.header = {SEAMSCOPE_WIRE_MAGIC, SEAMSCOPE_WIRE_VERSION, type, sizeof(T), 0};
  return message;
}

class TestPublisher {
 public:
  explicit TestPublisher(const std::string& path) : control_fd_(memory_of(sizeof(seamscope_control))) {
    control_ = reinterpret_cast<seamscope_control*>(map(control_fd_, sizeof(seamscope_control)));
    control_->magic = SEAMSCOPE_WIRE_MAGIC;
    control_->version = SEAMSCOPE_WIRE_VERSION;
    socket_ = UniqueFd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    connected_ = dial(path);
  }
  ~TestPublisher() {
    munmap(control_, sizeof(seamscope_control));
    if (ring_) munmap(ring_, ring_bytes_);
  }
  TestPublisher(const TestPublisher&) = delete;
  TestPublisher& operator=(const TestPublisher&) = delete;

  bool dial(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  bool connected() const { return connected_; }
  seamscope_control& control() { return *control_; }
  int control_fd() const { return control_fd_.get(); }
  int socket_fd() const { return socket_.get(); }
  void hang_up() { socket_.reset(); }

  bool send_bytes(const void* bytes, size_t size, const std::vector<int>& fds = {}) {
    iovec part{const_cast<void*>(bytes), size};
    alignas(cmsghdr) char control[CMSG_SPACE(64 * sizeof(int))] = {};
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
    return sendmsg(socket_.get(), &message, MSG_NOSIGNAL) >= 0;
  }
  template <typename T>
  bool send(const T& message, const std::vector<int>& fds = {}) {
    return send_bytes(&message, sizeof message, fds);
  }

  static seamscope_hello hello_of(const std::string& name) {
    auto hello = message_of<seamscope_hello>(SEAMSCOPE_HELLO);
    hello.pid = static_cast<uint32_t>(getpid());
    hello.cuda_ordinal = -1;
    std::strncpy(hello.name, name.c_str(), sizeof hello.name - 1);
    return hello;
  }
  bool hello(const std::string& name) { return send(hello_of(name), {control_fd_.get()}); }

  bool output(uint32_t index, const std::string& name, const seamscope_frame_desc& desc) {
    auto message = message_of<seamscope_output_message>(SEAMSCOPE_OUTPUT);
    message.output = index;
    std::strncpy(message.name, name.c_str(), sizeof message.name - 1);
    message.desc = desc;
    return send(message);
  }

  static seamscope_ring host_ring(uint32_t output, uint32_t generation, uint32_t slots, uint64_t slot_bytes) {
    auto ring = message_of<seamscope_ring>(SEAMSCOPE_RING);
    ring.output = output;
    ring.generation = generation;
    ring.memory = SEAMSCOPE_MEMORY_HOST;
    ring.slot_count = slots;
    ring.slot_size = ring.slot_stride = slot_bytes;
    ring.allocation_size = slots * slot_bytes;
    return ring;
  }
  // Offers a ring and keeps its memory for fill(); the last one offered is the one that is filled.
  bool offer(const seamscope_ring& ring) {
    if (ring_) munmap(ring_, ring_bytes_);
    ring_bytes_ = ring.allocation_size ? ring.allocation_size : 1;  // an empty ring is offered with something in it
    ring_message_ = ring;
    const UniqueFd memory = memory_of(ring_bytes_);
    ring_ = map(memory, ring_bytes_);
    return send(ring, {memory.get()});
  }

  // The next message of the hub, at most `T` large; nothing when none comes within five seconds or the hub hangs up.
  struct Answer {
    seamscope_header header{};
    uint32_t output = 0, generation = 0, code = 0;  // of ring answers; `code` of refusals too
    std::string reason;
  };
  std::optional<Answer> answer(int timeout_ms = 5000) {
    pollfd wait{socket_.get(), POLLIN, 0};
    if (poll(&wait, 1, timeout_ms) != 1) return std::nullopt;
    char bytes[SEAMSCOPE_MAX_MESSAGE];
    const ssize_t size = recv(socket_.get(), bytes, sizeof bytes, 0);
    if (size < static_cast<ssize_t>(sizeof(seamscope_header))) return std::nullopt;
    Answer answer;
    std::memcpy(&answer.header, bytes, sizeof answer.header);
    if (answer.header.type == SEAMSCOPE_REFUSED) {
      seamscope_refused refused;
      std::memcpy(&refused, bytes, sizeof refused);
      answer.code = refused.code;
      answer.reason = refused.reason;
    } else if (answer.header.type != SEAMSCOPE_WELCOME) {
      seamscope_ring_answer ring;
      std::memcpy(&ring, bytes, sizeof ring);
      answer.output = ring.output;
      answer.generation = ring.generation;
      answer.code = ring.code;
      answer.reason = ring.reason;
    }
    return answer;
  }
  // True when the next message is of this type.
  bool answered(uint16_t type) {
    const auto got = answer();
    return got && got->header.type == type;
  }

  std::atomic_ref<uint32_t> state(uint32_t output, uint32_t generation, uint32_t slot) {
    return std::atomic_ref<uint32_t>(slot_of(output, generation, slot).state);
  }
  seamscope_slot& slot_of(uint32_t output, uint32_t generation, uint32_t slot) {
    return control_->outputs[output].slots[generation % 2][slot];
  }
  bool wanted(uint32_t output) { return std::atomic_ref<uint32_t>(control_->outputs[output].wanted).load() != 0; }
  std::byte* slot_bytes(uint32_t slot) { return ring_ + slot * ring_message_.slot_stride; }

  // Publishes into the offered ring as the protocol says: FREE, or the oldest READY, to WRITING to READY. False: no
  // slot.
  bool publish(const seamscope_frame_desc& desc, std::byte fill, bool ring_bell = true) {
    const auto& ring = ring_message_;
    const uint64_t number = ++frame_;
    const auto slot = take_slot();
    if (!slot) return false;
    seamscope_slot& header = slot_of(ring.output, ring.generation, *slot);
    std::memset(slot_bytes(*slot), static_cast<int>(fill), ring.slot_size);
    header.generation = ring.generation;
    std::atomic_ref<uint64_t>(header.frame).store(number, std::memory_order_relaxed);
    header.published_ns = header.ready_ns = clock_ns();
    header.desc = desc;
    state(ring.output, ring.generation, *slot).store(SEAMSCOPE_SLOT_READY, std::memory_order_release);
    if (ring_bell) bell(ring.output, ring.generation);
    return true;
  }
  bool bell(uint32_t output, uint32_t generation) {
    auto message = message_of<seamscope_ring_answer>(SEAMSCOPE_DOORBELL);
    message.output = output;
    message.generation = generation;
    return ::send(socket_.get(), &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
  }
  uint64_t frame() const { return frame_; }

 private:
  std::optional<uint32_t> take_slot() {
    const auto& ring = ring_message_;
    for (uint32_t i = 0; i < ring.slot_count; ++i)
      if (swap(i, SEAMSCOPE_SLOT_FREE)) return i;
    std::optional<uint32_t> oldest;
    for (uint32_t i = 0; i < ring.slot_count; ++i) {
      if (state(ring.output, ring.generation, i).load() != SEAMSCOPE_SLOT_READY) continue;
      if (!oldest || frame_at(i) < frame_at(*oldest)) oldest = i;
    }
    return oldest && swap(*oldest, SEAMSCOPE_SLOT_READY) ? oldest : std::nullopt;
  }
  uint64_t frame_at(uint32_t slot) {
    return std::atomic_ref<uint64_t>(slot_of(ring_message_.output, ring_message_.generation, slot).frame).load();
  }
  bool swap(uint32_t slot, uint32_t from) {
    return state(ring_message_.output, ring_message_.generation, slot)
        .compare_exchange_strong(from, SEAMSCOPE_SLOT_WRITING);
  }

  UniqueFd control_fd_, socket_;
  seamscope_control* control_ = nullptr;
  bool connected_ = false;
  std::byte* ring_ = nullptr;
  uint64_t ring_bytes_ = 0, frame_ = 0;
  seamscope_ring ring_message_{};
};

}  // namespace seamscope::test
