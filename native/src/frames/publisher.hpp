#pragma once
// A publisher as the preview sees it: a name with outputs, which stays while somebody looks at it even when the program
// has gone, and goes on when a program of that name comes back.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frames/control_page.hpp"
#include "frames/image.hpp"
#include "frames/ring.hpp"

namespace seamscope::frames {

enum class OutputState {
  Announced,  // named; nobody has asked for frames yet
  Waiting,    // asked for, none has come yet
  Live,
  Silent,   // asked for, and none has come for a while
  Refused,  // the hub cannot read what the program offers
  Gone,     // the program has ended or withdrawn it
};

struct PublishedOutput {
  std::string name;
  FrameDesc desc;
  OutputState state = OutputState::Announced;
  std::string note;  // why, or the program's own words; may be empty
  std::string path;  // how its frames come: "host memory, 1 host copy"; empty before the first ring
  uint64_t published = 0, skipped = 0;
};

struct PublisherInfo {
  std::string id, label;
  uint32_t pid = 0;
  bool connected = false;
  std::vector<std::string> notes;
  std::vector<PublishedOutput> outputs;
};

class Publisher {
 public:
  // `name` is the program's own, `label` tells it from others of that name.
  Publisher(std::string name, std::string id, std::string label)
      : name_(std::move(name)), id_(std::move(id)), label_(std::move(label)) {}

  const std::string& name() const { return name_; }
  const std::string& id() const { return id_; }
  const std::string& label() const { return label_; }

  // The rest is thread-safe and returns at once. From the connection; `page_index` is the publisher's own number of an
  // output.
  void attach(uint32_t pid, std::shared_ptr<ControlPage> page, std::vector<std::string> notes);
  void detach(const std::string& why);
  void announce(uint32_t page_index, const std::string& name, const FrameDesc& desc);
  void withdraw(uint32_t page_index);
  void set_ring(uint32_t page_index, std::shared_ptr<Ring> ring);
  void refuse(uint32_t page_index, const std::string& reason);
  void say(uint32_t page_index, const std::string& text);
  void ring_bell(uint32_t page_index);
  // Lets go of the memory of outputs that nobody has asked for since `before`; the program makes it anew when somebody
  // does.
  void release_idle(double before);

  // To and from the source.
  PublisherInfo info() const;
  bool connected() const;
  // Why what is looked at does not go on, one sentence: the program has ended, or its frames cannot be read. Empty
  // while all is well.
  std::string problem() const;
  void want(std::span<const uint32_t> outputs, double max_rate);
  // `changed` as FrameSource::listen has it; nullptr ends it, and then it is neither running nor called again.
  void listen(std::function<void()> changed);
  // The newest frame of an output, the same one again while there is no newer one; nullptr before the first. Waits for
  // the copy; to be called by one thread at a time.
  std::shared_ptr<const Image> newest(uint32_t output);
  uint64_t skipped(uint32_t output) const;

  // 0 = no limit. Holds beside what want() asks for.
  void limit_rate(double frames_a_second);

 private:
  struct Output {
    std::string name;
    FrameDesc desc;
    std::optional<uint32_t> page_index;  // while the program has it
    std::shared_ptr<Ring> ring;
    std::shared_ptr<const Image> image;
    uint64_t last_frame = 0;  // taken from this connection
    bool wanted = false;
    double wanted_at = 0, unwanted_at = 0, bell_at = 0;
    std::string refusal, problem, said;
  };

  Output* find(uint32_t page_index);
  void apply_wish(const Output& output) const;
  PublishedOutput describe(const Output& output, double now) const;
  OutputState state_of(const Output& output, double now) const;
  struct Taken;
  std::optional<Taken> take(uint32_t output);
  void changed() const;

  const std::string name_, id_, label_;
  mutable std::mutex mutex_;
  std::vector<Output> outputs_;
  std::shared_ptr<ControlPage> page_;
  uint32_t pid_ = 0;
  double max_rate_ = 0, limit_ = 0;
  std::vector<std::string> notes_;
  std::string said_, gone_;

  mutable std::mutex listener_mutex_;
  std::function<void()> listener_;
};

}  // namespace seamscope::frames
