#include "frames/connection.hpp"

#include <cstring>

#include "base/clock.hpp"

namespace seamscope::frames {
namespace {

// Messages of one publisher before others get their turn.
constexpr int kTurn = 64;

Refusal out_of_order(const std::string& what) {
  return {SEAMSCOPE_REFUSED_MESSAGE, "The publisher sent " + what + "."};
}

}  // namespace

Connection::Connection(UniqueFd socket, ConnectionHost& host)
    : socket_(std::move(socket)), host_(host), opened_at_(now_ms()) {}

Connection::~Connection() {
  if (!publisher_) return;
  publisher_->detach(end_);
  host_.sources_changed();
}

template <typename T>
bool Connection::send(T& message, uint16_t type) {
  message.header = {SEAMSCOPE_WIRE_MAGIC, SEAMSCOPE_WIRE_VERSION, type, sizeof message, 0};
  return socket_.send(std::as_bytes(std::span(&message, 1)));
}

bool Connection::refuse(const Refusal& refusal) {
  seamscope_refused message{};
  message.code = refusal.code;
  write_text(message.reason, sizeof message.reason, refusal.reason);
  send(message, SEAMSCOPE_REFUSED);
  end_ = refusal.reason;
  return false;
}

bool Connection::answer(uint16_t type, uint32_t output, uint32_t generation, const Refusal& refusal) {
  seamscope_ring_answer message{};
  message.output = output;
  message.generation = generation;
  message.code = refusal.code;
  write_text(message.reason, sizeof message.reason, refusal.reason);
  return send(message, type);
}

bool Connection::readable() {
  for (int i = 0; i < kTurn; ++i) {
    Packet packet = socket_.receive();
    if (packet.kind == Packet::Kind::Nothing) return true;
    if (packet.kind == Packet::Kind::Ended) return false;
    if (packet.kind == Packet::Kind::TooLong)
      return refuse(out_of_order("a message that is too long or has too many descriptors"));
    if (!take(std::move(packet))) return false;
  }
  return true;
}

bool Connection::take(Packet packet) {
  const Message message = parse_message(packet.bytes, packet.fds.size());
  const bool is_hello = std::holds_alternative<seamscope_hello>(message);
  if (!std::holds_alternative<Refusal>(message) && is_hello == greeted())
    return refuse(out_of_order(is_hello ? "a second greeting" : "a message before its greeting"));
  return std::visit([&](const auto& content) { return on(content, packet); }, message);
}

bool Connection::on(const seamscope_hello& hello, Packet& packet) {
  auto page = ControlPage::map(std::move(packet.fds.front()));
  if (!page) return refuse({SEAMSCOPE_REFUSED_CONTROL, page.error().message});
  std::string name = clean_text(hello.name, sizeof hello.name);
  if (name.empty()) name = "process " + std::to_string(hello.pid);
  seamscope_welcome welcome{};
  welcome.pid = static_cast<uint32_t>(getpid());
  const std::string problem = host_.device_problem(name);
  welcome.paths = SEAMSCOPE_PATH_HOST | (problem.empty() ? uint32_t{SEAMSCOPE_PATH_DEVICE} : 0u);
  write_text(welcome.reason, sizeof welcome.reason, problem);
  publisher_ = host_.publisher_named(name);
  publisher_->attach(hello.pid, *std::move(page), problem.empty() ? std::vector<std::string>() : std::vector{problem});
  host_.sources_changed();
  return send(welcome, SEAMSCOPE_WELCOME);
}

bool Connection::on(const seamscope_output_message& message, Packet&) {
  Output& output = outputs_[message.output];
  if (output.announced) return refuse(out_of_order("the name of an output twice"));
  std::string name = clean_text(message.name, sizeof message.name);
  if (name.empty()) name = "output " + std::to_string(message.output);
  output.announced = true;
  publisher_->announce(message.output, name, announced_desc(message.desc));
  host_.sources_changed();
  return true;
}

bool Connection::on(const OutputGone& gone, Packet&) {
  outputs_[gone.output].announced = false;
  publisher_->withdraw(gone.output);
  host_.sources_changed();
  return true;
}

// One ring of an output is being opened at a time, generations count up, and the memory of a bank is given up before
// the next one comes for it.
bool Connection::in_order(const seamscope_ring& ring) const {
  const Output& output = outputs_[ring.output];
  return output.announced && !output.opening && ring.generation == output.last_generation + 1 && ring.generation != 0 &&
         output.alive[ring.generation % 2] == 0;
}

bool Connection::on(const seamscope_ring& ring, Packet& packet) {
  if (!in_order(ring)) return refuse(out_of_order("a ring out of order"));
  Output& output = outputs_[ring.output];
  output.last_generation = ring.generation;
  if (const auto refusal = check_ring(ring)) {
    ring_opened(ring, *refusal);
    return true;
  }
  output.opening = true;
  host_.open_ring(publisher_->name(), {ring, std::move(packet.fds)},
                  [weak = weak_from_this(), ring](OpenedRing opened) {
                    if (const auto self = weak.lock()) self->ring_opened(ring, std::move(opened));
                  });
  return true;
}

void Connection::ring_opened(const seamscope_ring& message, OpenedRing opened) {
  Output& output = outputs_[message.output];
  output.opening = false;
  if (const auto* refusal = std::get_if<Refusal>(&opened)) {
    publisher_->refuse(message.output, refusal->reason);
    answer(SEAMSCOPE_RING_REFUSED, message.output, message.generation, *refusal);
    host_.sources_changed();
    return;
  }
  output.alive[message.generation % 2] = message.generation;
  // Both may be called by a thread of the preview.
  const auto post = [weak = weak_from_this(), mailbox = host_.mailbox()](auto&& action) {
    mailbox->post([weak, action] {
      if (const auto self = weak.lock()) action(*self);
    });
  };
  auto gone = [post, index = message.output, generation = message.generation] {
    post([index, generation](Connection& self) { self.ring_gone(index, generation); });
  };
  auto failed = [post](const std::string& reason) { post([reason](Connection& self) { self.ring_failed(reason); }); };
  auto ring = std::make_shared<Ring>(message, std::get<std::unique_ptr<SlotReader>>(std::move(opened)), std::move(gone),
                                     std::move(failed));
  // The old one's end is told from the mailbox, so after this answer.
  publisher_->set_ring(message.output, std::move(ring));
  answer(SEAMSCOPE_RING_ACCEPTED, message.output, message.generation);
  host_.sources_changed();
}

// The publisher connects anew and is offered host memory only.
void Connection::ring_failed(const std::string& reason) {
  host_.quarantine(publisher_->name());
  refuse({SEAMSCOPE_REFUSED_QUARANTINE, reason});
  over_ = true;
}

void Connection::ring_gone(uint32_t index, uint32_t generation) {
  uint32_t& alive = outputs_[index].alive[generation % 2];
  if (alive == generation) alive = 0;
  answer(SEAMSCOPE_RING_RELEASED, index, generation);
}

bool Connection::on(const Doorbell& bell, Packet&) {
  publisher_->ring_bell(bell.output);
  return true;
}

bool Connection::on(const seamscope_status& status, Packet&) {
  publisher_->say(status.output, clean_text(status.text, sizeof status.text));
  host_.sources_changed();
  return true;
}

}  // namespace seamscope::frames
