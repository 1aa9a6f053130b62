#pragma once
// One publisher's connection: the order of its messages, and the answers. All of it runs on the hub's thread.

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "frames/mailbox.hpp"
#include "frames/message.hpp"
#include "frames/packet_socket.hpp"
#include "frames/publisher.hpp"

namespace seamscope::frames {

// What a connection needs of the hub.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  // Empty: the device path is open. Otherwise why it is not.
  virtual std::string device_problem(const std::string& name) = 0;
  // Its GPU memory has lost a device: no more of it.
  virtual void quarantine(const std::string& name) = 0;
  virtual std::shared_ptr<Publisher> publisher_named(const std::string& name) = 0;
  // Opens a ring of the program of that name, now or later; `done` runs on the hub's thread.
  virtual void open_ring(const std::string& name, RingOffer offer, std::function<void(OpenedRing)> done) = 0;
  virtual std::shared_ptr<Mailbox> mailbox() = 0;
  virtual void sources_changed() = 0;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(UniqueFd socket, ConnectionHost& host);
  ~Connection();

  int fd() const { return socket_.fd(); }
  // False: the connection is over and is to be dropped.
  bool readable();
  bool writable() { return socket_.flush(); }
  bool has_queued() const { return socket_.has_queued(); }
  bool greeted() const { return publisher_ != nullptr; }
  // Ended by something else than its socket: to be dropped.
  bool over() const { return over_; }
  double opened_at() const { return opened_at_; }

  // Tells the publisher why and ends the connection. Always false.
  bool refuse(const Refusal& refusal);

 private:
  struct Output {
    bool announced = false, opening = false;
    uint32_t last_generation = 0;
    std::array<uint32_t, 2> alive{};  // generation that a bank's memory is still used for; 0 = free
  };

  bool take(Packet packet);
  bool on(const Refusal& refusal, Packet&) { return refuse(refusal); }
  bool on(const seamscope_hello& hello, Packet& packet);
  bool on(const seamscope_output_message& message, Packet& packet);
  bool on(const OutputGone& gone, Packet& packet);
  bool on(const seamscope_ring& ring, Packet& packet);
  bool on(const Doorbell& bell, Packet& packet);
  bool on(const seamscope_status& status, Packet& packet);

  bool in_order(const seamscope_ring& ring) const;
  void ring_opened(const seamscope_ring& ring, OpenedRing opened);
  void ring_gone(uint32_t output, uint32_t generation);
  void ring_failed(const std::string& reason);
  bool answer(uint16_t type, uint32_t output, uint32_t generation, const Refusal& refusal = {});
  template <typename T>
  bool send(T& message, uint16_t type);

  PacketSocket socket_;
  ConnectionHost& host_;
  const double opened_at_;
  std::shared_ptr<Publisher> publisher_;
  std::array<Output, SEAMSCOPE_MAX_OUTPUTS> outputs_;
  bool over_ = false;
  std::string end_ = "The program has ended or closed its publisher.";
};

}  // namespace seamscope::frames
