#include "publisher_hub.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace seamscope::test {
namespace {

namespace fs = std::filesystem;
constexpr size_t kLavapipeHeader = 4096;

std::string make_folder() {
  std::string path = (fs::temp_directory_path() / "seamscope-hub-XXXXXX").string();
  if (!mkdtemp(path.data())) throw std::runtime_error("no temporary folder");
  return path;
}

bool readable(int fd, int timeout_ms) {
  pollfd waited{fd, POLLIN, 0};
  return poll(&waited, 1, timeout_ms) == 1;
}

uint32_t state_of(const seamscope_slot& slot) {
  return __atomic_load_n(&slot.state, __ATOMIC_ACQUIRE);
}

bool swap_state(seamscope_slot& slot, uint32_t from, uint32_t to) {
  return __atomic_compare_exchange_n(&slot.state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

}  // namespace

HubRing::HubRing(const seamscope_ring& message, std::vector<UniqueFd> fds) : message_(message), fds_(std::move(fds)) {
  for (const UniqueFd& fd : fds_) {
    struct stat status {};
    fstat(fd.get(), &status);
    const auto bytes = static_cast<size_t>(status.st_size);
    void* base = bytes ? mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd.get(), 0) : MAP_FAILED;
    if (base != MAP_FAILED) mappings_.push_back({base, bytes});
  }
}

HubRing::HubRing(HubRing&& other) noexcept
    : message_(other.message_), fds_(std::move(other.fds_)), mappings_(std::exchange(other.mappings_, {})) {}

HubRing::~HubRing() {
  for (const Mapping& mapping : mappings_) munmap(mapping.base, mapping.bytes);
}

const std::byte* HubRing::slot(uint32_t index) const {
  const bool is_host = message_.memory == SEAMSCOPE_MEMORY_HOST;
  const size_t mapping = is_host ? 0 : index;
  if (mapping >= mappings_.size()) return nullptr;
  const auto* bytes = static_cast<const std::byte*>(mappings_[mapping].base);
  return is_host ? bytes + index * message_.slot_stride : bytes + kLavapipeHeader;
}

TestHub::TestHub(HubOptions options, std::string folder, const std::string& name)
    : options_(options), folder_(std::move(folder)), name_(name), owns_folder_(folder_.empty()) {
  if (owns_folder_) folder_ = make_folder();
  listener_ = UniqueFd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
  unlink(path().c_str());
  if (bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_.get(), 8) != 0)
    throw std::runtime_error("the test hub cannot listen at " + path());
}

TestHub::~TestHub() {
  unmap();
  unlink(path().c_str());
  if (owns_folder_) fs::remove_all(folder_);
}

void TestHub::unmap() {
  if (control_) munmap(control_, sizeof *control_);
  control_ = nullptr;
}

bool TestHub::accept(int timeout_ms) {
  if (!readable(listener_.get(), timeout_ms)) return false;
  connection_ = UniqueFd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  outputs_.clear();
  rings_.clear();
  last_frame_.clear();
  return static_cast<bool>(connection_);
}

bool TestHub::greet(int timeout_ms) {
  auto packet = receive(timeout_ms);
  if (!packet || packet->type != SEAMSCOPE_HELLO || packet->fds.size() != 1) return false;
  hello_ = packet->as<seamscope_hello>();
  unmap();
  control_fd_ = std::move(packet->fds.front());
  void* page = mmap(nullptr, sizeof(seamscope_control), PROT_READ | PROT_WRITE, MAP_SHARED, control_fd_.get(), 0);
  if (page == MAP_FAILED) return false;
  control_ = static_cast<seamscope_control*>(page);
  seamscope_welcome welcome{};
  welcome.header = {SEAMSCOPE_WIRE_MAGIC, SEAMSCOPE_WIRE_VERSION, SEAMSCOPE_WELCOME, sizeof welcome, 0};
  welcome.paths = options_.paths;
  send(&welcome, sizeof welcome);
  return true;
}

std::optional<uint32_t> TestHub::wait_for_output(const std::string& name, int timeout_ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  while (std::chrono::steady_clock::now() < end) {
    if (!is_connected() && !(accept(timeout_ms) && greet())) continue;
    pump_until([&] { return find(name).has_value() || !is_connected(); }, timeout_ms);
    if (const auto output = find(name); output && is_connected()) return output;
  }
  return std::nullopt;
}

std::optional<HubPacket> TestHub::receive(int timeout_ms) {
  if (!connection_ || !readable(connection_.get(), timeout_ms)) return std::nullopt;
  HubPacket packet;
  packet.bytes.resize(SEAMSCOPE_MAX_MESSAGE);
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * SEAMSCOPE_MAX_SLOTS)];
  iovec part{packet.bytes.data(), packet.bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t size = recvmsg(connection_.get(), &message, MSG_CMSG_CLOEXEC);
  if (size <= 0) {
    connection_.reset();
    return std::nullopt;
  }
  packet.bytes.resize(static_cast<size_t>(size));
  for (cmsghdr* part_header = CMSG_FIRSTHDR(&message); part_header; part_header = CMSG_NXTHDR(&message, part_header)) {
    const size_t count = (part_header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part_header) + i * sizeof fd, sizeof fd);
      packet.fds.emplace_back(fd);
    }
  }
  packet.type = packet.bytes.size() >= sizeof(seamscope_header)
                    ? reinterpret_cast<const seamscope_header*>(packet.bytes.data())->type
                    : uint16_t{0};
  return packet;
}

void TestHub::pump(int quiet_ms) {
  while (auto packet = receive(quiet_ms)) handle(std::move(*packet));
}

void TestHub::handle(HubPacket packet) {
  if (packet.type == SEAMSCOPE_DOORBELL) ++doorbells_;
  if (packet.type == SEAMSCOPE_STATUS) statuses_.push_back(packet.as<seamscope_status>().text);
  if (packet.type == SEAMSCOPE_OUTPUT) {
    const auto message = packet.as<seamscope_output_message>();
    outputs_[message.output] = message;
  }
  if (packet.type == SEAMSCOPE_RING) on_ring(std::move(packet));
}

void TestHub::on_ring(HubPacket packet) {
  const auto message = packet.as<seamscope_ring>();
  ++rings_offered_;
  if (!options_.answers_rings) return;
  if (refused_memory_ == message.memory)
    return refuse_ring(message.output, message.generation, SEAMSCOPE_REFUSED_IMPORT);
  const auto old = rings_.find(message.output);
  const uint32_t released = old == rings_.end() ? 0 : old->second.message().generation;
  if (old != rings_.end()) rings_.erase(old);
  rings_.emplace(message.output, HubRing(message, std::move(packet.fds)));
  answer(SEAMSCOPE_RING_ACCEPTED, message.output, message.generation);
  if (released) answer(SEAMSCOPE_RING_RELEASED, message.output, released);
}

void TestHub::send(const void* message, size_t size) {
  if (connection_) (void)!::send(connection_.get(), message, size, MSG_NOSIGNAL);
}

void TestHub::answer(uint16_t type, uint32_t output, uint32_t generation) {
  seamscope_ring_answer message{};
  message.header = {SEAMSCOPE_WIRE_MAGIC, SEAMSCOPE_WIRE_VERSION, type, sizeof message, 0};
  message.output = output;
  message.generation = generation;
  send(&message, sizeof message);
}

void TestHub::refuse_ring(uint32_t output, uint32_t generation, uint32_t code) {
  seamscope_ring_answer message{};
  message.header = {SEAMSCOPE_WIRE_MAGIC, SEAMSCOPE_WIRE_VERSION, SEAMSCOPE_RING_REFUSED, sizeof message, 0};
  message.output = output;
  message.generation = generation;
  message.code = code;
  std::strcpy(message.reason, "refused by the test");
  send(&message, sizeof message);
}

std::optional<uint32_t> TestHub::find(const std::string& name) const {
  for (const auto& [index, message] : outputs_)
    if (name == message.name) return index;
  return std::nullopt;
}

void TestHub::want(uint32_t output, bool wanted, uint32_t millihertz) {
  __atomic_store_n(&page(output).max_rate_millihertz, millihertz, __ATOMIC_RELAXED);
  __atomic_store_n(&page(output).wanted, wanted ? 1u : 0u, __ATOMIC_RELEASE);
}

const HubRing* TestHub::ring(uint32_t output) const {
  const auto found = rings_.find(output);
  return found == rings_.end() ? nullptr : &found->second;
}

std::optional<HubFrame> TestHub::begin_read(uint32_t output) {
  const HubRing* ring = this->ring(output);
  if (!ring) return std::nullopt;
  seamscope_slot* bank = page(output).slots[ring->message().generation % 2];
  int newest = -1;
  for (uint32_t i = 0; i < ring->message().slot_count; ++i)
    if (state_of(bank[i]) == SEAMSCOPE_SLOT_READY && (newest < 0 || bank[i].frame > bank[newest].frame))
      newest = static_cast<int>(i);
  if (newest < 0 || !swap_state(bank[newest], SEAMSCOPE_SLOT_READY, SEAMSCOPE_SLOT_READING)) return std::nullopt;
  HubFrame frame{static_cast<uint32_t>(newest), bank[newest], {}};
  for (uint32_t i = 0; i < ring->message().slot_count; ++i)
    if (state_of(bank[i]) == SEAMSCOPE_SLOT_READY && bank[i].frame < frame.header.frame)
      swap_state(bank[i], SEAMSCOPE_SLOT_READY, SEAMSCOPE_SLOT_FREE);
  return frame;
}

void TestHub::end_read(uint32_t output, const HubFrame& frame) {
  const HubRing* ring = this->ring(output);
  if (ring)
    swap_state(page(output).slots[ring->message().generation % 2][frame.slot], SEAMSCOPE_SLOT_READING,
               SEAMSCOPE_SLOT_FREE);
}

std::optional<HubFrame> TestHub::take(uint32_t output) {
  auto frame = begin_read(output);
  if (!frame) return std::nullopt;
  const HubRing* ring = this->ring(output);
  if (const std::byte* bytes = ring->slot(frame->slot)) frame->bytes.assign(bytes, bytes + ring->message().slot_size);
  end_read(output, *frame);
  return frame;
}

}  // namespace seamscope::test
