#pragma once
// A hub for the tests of seamscope.h: the other half of docs/publisher-protocol.md, one step at a time, so that a test
// can stop anywhere. Written against the document, not against the engine's hub.

#include <sys/socket.h>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "frames/wire.hpp"

namespace seamscope::test {

struct HubPacket {
  uint16_t type = 0;
  std::vector<std::byte> bytes;
  std::vector<UniqueFd> fds;

  template <typename T>
  T as() const {
    T message{};
    if (bytes.size() == sizeof message) __builtin_memcpy(&message, bytes.data(), sizeof message);
    return message;
  }
};

class HubRing {
 public:
  HubRing(const seamscope_ring& message, std::vector<UniqueFd> fds);
  ~HubRing();
  HubRing(HubRing&& other) noexcept;
  HubRing& operator=(HubRing&&) = delete;

  const seamscope_ring& message() const { return message_; }
  const std::vector<UniqueFd>& fds() const { return fds_; }
  // Of host memory, or of what lavapipe exported.
  const std::byte* slot(uint32_t index) const;

 private:
  seamscope_ring message_;
  std::vector<UniqueFd> fds_;
  struct Mapping {
    void* base;
    size_t bytes;
  };
  std::vector<Mapping> mappings_;
};

struct HubFrame {
  uint32_t slot;
  seamscope_slot header;
  std::vector<std::byte> bytes;  // of the slot, from its beginning
};

struct HubOptions {
  uint32_t paths = SEAMSCOPE_PATH_HOST;
  bool answers_rings = true;
};

class TestHub {
 public:
  // Listens at FOLDER/NAME.sock in a folder of its own unless one is given.
  explicit TestHub(HubOptions options = {}, std::string folder = {}, const std::string& name = "1");
  ~TestHub();
  TestHub(const TestHub&) = delete;
  TestHub& operator=(const TestHub&) = delete;

  const std::string& folder() const { return folder_; }
  std::string path() const { return folder_ + "/" + name_ + ".sock"; }

  // Each waits at most this long and says whether it came.
  bool accept(int timeout_ms = 3000);
  bool greet(int timeout_ms = 3000);  // HELLO taken, WELCOME sent
  bool connect() { return accept() && greet(); }
  // The index of an output, over as many connections as that takes: one that waited too long to be greeted has been
  // given up by the publisher.
  std::optional<uint32_t> wait_for_output(const std::string& name, int timeout_ms = 30'000);
  std::optional<HubPacket> receive(int timeout_ms);
  // Takes messages until nothing comes for `quiet_ms`.
  void pump(int quiet_ms = 0);
  // Pumps until `done` or the time is over.
  template <typename Done>
  bool pump_until(Done done, int timeout_ms = 3000) {
    for (int waited = 0; waited < timeout_ms; waited += 2) {
      if (done()) return true;
      pump(2);
    }
    return done();
  }
  void hang_up() { connection_.reset(); }
  // As if the process had ended: nobody listens, the file stays.
  void stop() { hang_up(), listener_.reset(); }
  bool is_connected() const { return static_cast<bool>(connection_); }

  void send(const void* message, size_t size);
  void answer(uint16_t type, uint32_t output, uint32_t generation);
  // Rings of this kind are refused from now on.
  void refuse_memory(uint32_t memory) { refused_memory_ = memory; }
  void refuse_ring(uint32_t output, uint32_t generation, uint32_t code);

  const seamscope_hello& hello() const { return hello_; }
  std::optional<uint32_t> find(const std::string& name) const;
  const std::map<uint32_t, seamscope_output_message>& outputs() const { return outputs_; }
  const std::vector<std::string>& statuses() const { return statuses_; }
  uint64_t doorbells() const { return doorbells_; }
  uint32_t rings_offered() const { return rings_offered_; }

  seamscope_output& page(uint32_t output) { return control_->outputs[output]; }
  void want(uint32_t output, bool wanted = true, uint32_t millihertz = 0);
  const HubRing* ring(uint32_t output) const;
  // The newest READY frame of the accepted generation; older ones are freed. It is given back at once, its bytes are a
  // copy.
  std::optional<HubFrame> take(uint32_t output);
  // The same in two steps, for a slow reader.
  std::optional<HubFrame> begin_read(uint32_t output);
  void end_read(uint32_t output, const HubFrame& frame);

 private:
  void handle(HubPacket packet);
  void on_ring(HubPacket packet);
  void unmap();

  HubOptions options_;
  std::string folder_, name_;
  bool owns_folder_;
  UniqueFd listener_, connection_, control_fd_;
  seamscope_control* control_ = nullptr;
  seamscope_hello hello_{};
  std::map<uint32_t, seamscope_output_message> outputs_;
  std::map<uint32_t, HubRing> rings_;
  std::map<uint32_t, uint64_t> last_frame_;
  std::vector<std::string> statuses_;
  std::optional<uint32_t> refused_memory_;
  uint64_t doorbells_ = 0;
  uint32_t rings_offered_ = 0;
};

}  // namespace seamscope::test
