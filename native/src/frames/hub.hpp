#pragma once
// Where publishers connect. One thread listens to all of them and never waits for anyone.

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "frames/connection.hpp"
#include "frames/published_source.hpp"
#include "frames/ring_worker.hpp"
#include "frames/socket_file.hpp"

namespace seamscope::frames {

struct HubOptions {
  std::string folder;   // empty = default_folder()
  std::string name;     // the socket's file is NAME.sock
  double max_rate = 0;  // frames a second of each output at most; 0 = no limit
  // As DeviceOptions::wrap, for the devices that memory is imported into.
  void (*wrap)(VolkDeviceTable&) = nullptr;
  uint64_t band_bytes = FrameMemory{}.band_bytes;
  double idle_ms = 10'000;  // how long the memory of outputs that nobody looks at is kept
};

class Hub final : private ConnectionHost {
 public:
  // Error when the folder or the socket cannot be had.
  static Result<std::unique_ptr<Hub>> open(const HubOptions& options);
  ~Hub() override;
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  const std::string& path() const { return socket_.path(); }

  // The rest is thread-safe.
  // Publishers that are connected or looked at, in the order in which they came.
  std::vector<PublisherInfo> list() const;
  // Error when there is no such publisher. The source may outlive the hub.
  Result<std::unique_ptr<PublishedSource>> open_source(const std::string& id);
  void set_max_rate(double frames_a_second);
  // Called from the hub's thread when list() would answer something else. nullptr ends it: afterwards it neither runs
  // nor is called again.
  void on_change(std::function<void()> changed);

 private:
  struct Entry {
    std::shared_ptr<Publisher> publisher;
    uint32_t sources = 0;
  };
  struct Shared;  // with the sources, which may outlive the hub

  Hub(SocketFile socket, const HubOptions& options);
  void run();
  void accept_all();
  void turn_away();
  void serve(int fd, uint32_t events);
  void drop(int fd);
  void watch(int fd, uint32_t events, int operation) const;
  void watch_queues();
  void drop_ended();
  void release_idle(double before);
  void tick();

  std::string device_problem(const std::string& name) override;
  void quarantine(const std::string& name) override { quarantine_.insert(name); }
  std::shared_ptr<Publisher> publisher_named(const std::string& name) override;
  void open_ring(const std::string& name, RingOffer offer, std::function<void(OpenedRing)> done) override;
  std::shared_ptr<Mailbox> mailbox() override { return mailbox_; }
  void sources_changed() override { changed_ = true; }
  void report_change();

  SocketFile socket_;
  UniqueFd epoll_;
  UniqueFd spare_;  // given up for a moment to turn somebody away when there are no descriptors left
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::shared_ptr<BytePool> pool_ = std::make_shared<BytePool>();
  std::shared_ptr<ImportDevices> devices_;
  RingWorker worker_;
  std::set<std::string> quarantine_;  // names of programs whose memory has lost a device
  std::shared_ptr<Shared> shared_;
  std::map<int, std::shared_ptr<Connection>> connections_;
  std::set<int> writing_;  // connections with answers that wait for room
  std::vector<OutputState> states_;
  const double idle_ms_;
  double next_tick_ = 0;
  bool changed_ = false;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace seamscope::frames
