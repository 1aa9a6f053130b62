#include "frames/hub.hpp"

#include <fcntl.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "base/clock.hpp"

namespace seamscope::frames {
namespace {

// A program that connects and says nothing keeps a place from others.
constexpr double kGreetingMs = 5000;
constexpr int kTickMs = 1000;
const char* const kQuarantine =
    "Reading this program's GPU memory has lost the device before; its frames come through host memory until the "
    "engine restarts.";

}  // namespace

struct Hub::Shared {
  std::mutex mutex;
  std::vector<Entry> entries;
  double max_rate = 0;

  std::mutex listener_mutex;
  std::function<void()> listener;

  // Forgets those that have gone and that nobody looks at. Under the lock.
  void forget_gone() {
    const auto gone = [](const Entry& entry) { return entry.sources == 0 && !entry.publisher->connected(); };
    entries.erase(std::remove_if(entries.begin(), entries.end(), gone), entries.end());
  }
  bool has(const std::string& id) const {
    return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.publisher->id() == id; });
  }
};

Result<std::unique_ptr<Hub>> Hub::open(const HubOptions& options) {
  const std::string folder = options.folder.empty() ? default_folder() : options.folder;
  if (auto fine = check_folder(folder); !fine) return fine.error();
  remove_dead_sockets(folder);
  auto socket = SocketFile::listen(folder, options.name);
  if (!socket) return socket.error();
  std::unique_ptr<Hub> hub(new Hub(*std::move(socket), options));
  if (!hub->epoll_ || hub->mailbox_->fd() < 0)
    return Error{"There are no descriptors left for the preview's socket.",
                 "Close previews or raise the limit (ulimit -n).", std::strerror(errno)};
  hub->watch(hub->socket_.fd(), EPOLLIN, EPOLL_CTL_ADD);
  hub->watch(hub->mailbox_->fd(), EPOLLIN, EPOLL_CTL_ADD);
  hub->thread_ = std::thread([hub = hub.get()] { hub->run(); });
  return hub;
}

Hub::Hub(SocketFile socket, const HubOptions& options)
    : socket_(std::move(socket)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      spare_(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
      devices_(std::make_shared<ImportDevices>(options.wrap)),
      worker_(devices_, {pool_, options.band_bytes}),
      shared_(std::make_shared<Shared>()),
      idle_ms_(options.idle_ms) {
  shared_->max_rate = options.max_rate;
}

Hub::~Hub() {
  on_change(nullptr);
  stop_ = true;
  mailbox_->wake();
  if (thread_.joinable()) thread_.join();
  connections_.clear();
  mailbox_->close();
}

void Hub::on_change(std::function<void()> changed) {
  std::lock_guard lock(shared_->listener_mutex);
  shared_->listener = std::move(changed);
}

void Hub::report_change() {
  if (!std::exchange(changed_, false)) return;
  {
    std::lock_guard lock(shared_->mutex);
    shared_->forget_gone();
  }
  std::lock_guard lock(shared_->listener_mutex);
  if (shared_->listener) shared_->listener();
}

std::vector<PublisherInfo> Hub::list() const {
  std::lock_guard lock(shared_->mutex);
  std::vector<PublisherInfo> list;
  for (const Entry& entry : shared_->entries) list.push_back(entry.publisher->info());
  return list;
}

void Hub::set_max_rate(double frames_a_second) {
  std::lock_guard lock(shared_->mutex);
  shared_->max_rate = frames_a_second;
  for (const Entry& entry : shared_->entries) entry.publisher->limit_rate(frames_a_second);
}

Result<std::unique_ptr<PublishedSource>> Hub::open_source(const std::string& id) {
  std::lock_guard lock(shared_->mutex);
  const auto found = std::find_if(shared_->entries.begin(), shared_->entries.end(),
                                  [&](const Entry& entry) { return entry.publisher->id() == id; });
  if (found == shared_->entries.end())
    return Error{"No program publishes as \"" + id + "\" now.", "Start the program, then choose it again.", ""};
  ++found->sources;
  auto closed = [shared = shared_, publisher = found->publisher] {
    std::lock_guard lock(shared->mutex);
    for (Entry& entry : shared->entries)
      if (entry.publisher == publisher) --entry.sources;
    shared->forget_gone();
  };
  return std::make_unique<PublishedSource>(found->publisher, devices_, std::move(closed));
}

// A program that comes back takes the place that its predecessor left; a second one of the same name gets a number.
std::shared_ptr<Publisher> Hub::publisher_named(const std::string& name) {
  std::lock_guard lock(shared_->mutex);
  for (const Entry& entry : shared_->entries)
    if (entry.publisher->name() == name && !entry.publisher->connected()) return entry.publisher;
  std::string label = name;
  for (uint32_t number = 2; shared_->has("pub:" + label); ++number) label = name + "#" + std::to_string(number);
  auto publisher = std::make_shared<Publisher>(name, "pub:" + label, label);
  publisher->limit_rate(shared_->max_rate);
  shared_->entries.push_back({publisher, 0});
  return publisher;
}

std::string Hub::device_problem(const std::string& name) {
  return quarantine_.count(name) ? kQuarantine : devices_->problem();
}

void Hub::open_ring(const std::string& name, RingOffer offer, std::function<void(OpenedRing)> done) {
  if (offer.message.memory == SEAMSCOPE_MEMORY_HOST) return done(open_host_ring(std::move(offer), pool_));
  if (quarantine_.count(name)) return done(Refusal{SEAMSCOPE_REFUSED_QUARANTINE, kQuarantine});
  worker_.open(std::move(offer), [mailbox = mailbox_, done = std::move(done)](OpenedRing opened) {
    // A function that can be copied, for what cannot.
    auto shared = std::make_shared<OpenedRing>(std::move(opened));
    mailbox->post([shared, done] { done(std::move(*shared)); });
  });
}

void Hub::watch(int fd, uint32_t events, int operation) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  epoll_ctl(epoll_.get(), operation, fd, &event);
}

void Hub::run() {
  while (!stop_) {
    epoll_event events[16];
    const int count = epoll_wait(epoll_.get(), events, 16, connections_.empty() ? -1 : kTickMs);
    if (count < 0 && errno != EINTR) return;
    for (int i = 0; i < count; ++i) serve(events[i].data.fd, events[i].events);
    tick();
    report_change();
  }
}

void Hub::serve(int fd, uint32_t events) {
  if (fd == socket_.fd()) return accept_all();
  if (fd == mailbox_->fd()) {
    mailbox_->run();
    drop_ended();
  } else {
    const auto found = connections_.find(fd);
    if (found == connections_.end()) return;
    const auto connection = found->second;
    const bool alive = (!(events & EPOLLOUT) || connection->writable()) &&
                       (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)) || connection->readable());
    if (!alive) return drop(fd);
  }
  watch_queues();
}

// Being able to write matters only while an answer waits for it.
void Hub::watch_queues() {
  for (const auto& [fd, connection] : connections_) {
    const bool waits = connection->has_queued();
    if (waits == (writing_.count(fd) != 0)) continue;
    if (waits)
      writing_.insert(fd);
    else
      writing_.erase(fd);
    watch(fd, waits ? EPOLLIN | EPOLLOUT : EPOLLIN, EPOLL_CTL_MOD);
  }
}

void Hub::drop(int fd) {
  watch(fd, 0, EPOLL_CTL_DEL);
  writing_.erase(fd);
  connections_.erase(fd);
}

// Without a descriptor for it, a caller would wake this thread for ever.
void Hub::turn_away() {
  spare_.reset();
  UniqueFd(accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)).reset();
  spare_.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

// What came through the mailbox may have ended connections.
void Hub::drop_ended() {
  std::vector<int> ended;
  for (const auto& [fd, connection] : connections_)
    if (connection->over()) ended.push_back(fd);
  for (const int fd : ended) drop(fd);
}

void Hub::accept_all() {
  for (;;) {
    UniqueFd socket(accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE) turn_away();
      return;
    }
    ucred peer{};
    socklen_t size = sizeof peer;
    const bool known = getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    const int fd = socket.get();
    const auto connection = std::make_shared<Connection>(std::move(socket), static_cast<ConnectionHost&>(*this));
    if (!known || !may_publish(peer, geteuid())) {
      connection->refuse({SEAMSCOPE_REFUSED_USER, "This Seamscope runs as another user."});
    } else if (connections_.size() >= kMaxPublishers) {
      connection->refuse({SEAMSCOPE_REFUSED_FULL, std::to_string(kMaxPublishers) + " programs publish already."});
    } else {
      connections_[fd] = connection;
      watch(fd, EPOLLIN, EPOLL_CTL_ADD);
    }
  }
}

void Hub::release_idle(double before) {
  std::lock_guard lock(shared_->mutex);
  for (const Entry& entry : shared_->entries) entry.publisher->release_idle(before);
}

// Time alone changes three things: who has not said a word, whose outputs have fallen silent, and whose memory is not
// worth keeping.
void Hub::tick() {
  const double now = now_ms();
  if (now < next_tick_) return;
  next_tick_ = now + kTickMs;
  release_idle(now - idle_ms_);
  std::vector<OutputState> states;
  for (const PublisherInfo& info : list())
    for (const PublishedOutput& output : info.outputs) states.push_back(output.state);
  if (states != states_) changed_ = true;
  states_ = std::move(states);
  std::vector<int> late;
  for (const auto& [fd, connection] : connections_)
    if (!connection->greeted() && now - connection->opened_at() > kGreetingMs) late.push_back(fd);
  for (const int fd : late) drop(fd);
}

}  // namespace seamscope::frames
