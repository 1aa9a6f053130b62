#include "frames/publisher.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "frames/swap_bgr.hpp"

namespace seamscope::frames {
namespace {

// Without a frame for this long (ms), an output that is watched is called silent.
constexpr double kSilentMs = 2000;

// The publisher's clock is ours; what it says of it is believed only where it can be true.
double time_of(uint64_t nanoseconds, double now) {
  const double at = static_cast<double>(nanoseconds) / 1e6;
  return at > 0 && at <= now ? at : now;
}

std::shared_ptr<const Image> image_of(const seamscope_slot& header, const CheckedFrame& frame,
                                      std::shared_ptr<HostBytes> memory) {
  if (frame.is_bgr) swap_bgr(memory->writable(), frame.desc);
  const double now = now_ms(), produced = time_of(header.published_ns, now);
  return std::make_shared<Image>(Image{header.frame, frame.desc, std::move(memory), produced, now - produced});
}

uint32_t millihertz(double rate) {
  return rate > 0 ? static_cast<uint32_t>(std::clamp(rate * 1000, 1.0, 4e9)) : 0;
}

}  // namespace

void Publisher::changed() const {
  std::lock_guard lock(listener_mutex_);
  if (listener_) listener_();
}

void Publisher::listen(std::function<void()> changed) {
  std::lock_guard lock(listener_mutex_);
  listener_ = std::move(changed);
}

Publisher::Output* Publisher::find(uint32_t page_index) {
  const auto found = std::find_if(outputs_.begin(), outputs_.end(),
                                  [&](const Output& output) { return output.page_index == page_index; });
  return found == outputs_.end() ? nullptr : &*found;
}

void Publisher::apply_wish(const Output& output) const {
  if (!page_ || !output.page_index) return;
  const double rate = limit_ > 0 && (max_rate_ <= 0 || limit_ < max_rate_) ? limit_ : max_rate_;
  page_->want(*output.page_index, output.wanted, millihertz(rate));
}

void Publisher::attach(uint32_t pid, std::shared_ptr<ControlPage> page, std::vector<std::string> notes) {
  std::lock_guard lock(mutex_);
  pid_ = pid;
  page_ = std::move(page);
  notes_ = std::move(notes);
  said_.clear();
  gone_.clear();
}

void Publisher::detach(const std::string& why) {
  std::vector<std::shared_ptr<Ring>> rings;  // let go outside of the lock
  {
    std::lock_guard lock(mutex_);
    page_.reset();
    gone_ = why;
    for (Output& output : outputs_) {
      output.page_index.reset();
      rings.push_back(std::move(output.ring));
      output.last_frame = 0;
      output.refusal.clear();
      output.problem.clear();
    }
  }
  changed();
}

void Publisher::announce(uint32_t page_index, const std::string& name, const FrameDesc& desc) {
  {
    std::lock_guard lock(mutex_);
    const auto known =
        std::find_if(outputs_.begin(), outputs_.end(), [&](const Output& output) { return output.name == name; });
    Output& output = known == outputs_.end() ? outputs_.emplace_back() : *known;
    output.name = name;
    output.desc = desc;
    output.page_index = page_index;
    output.bell_at = output.wanted_at = now_ms();
    apply_wish(output);
  }
  changed();
}

void Publisher::withdraw(uint32_t page_index) {
  std::shared_ptr<Ring> ring;
  {
    std::lock_guard lock(mutex_);
    Output* output = find(page_index);
    if (!output) return;
    output->page_index.reset();
    ring = std::move(output->ring);
  }
  changed();
}

void Publisher::set_ring(uint32_t page_index, std::shared_ptr<Ring> ring) {
  std::lock_guard lock(mutex_);
  Output* output = find(page_index);
  if (!output) return;
  output->refusal.clear();
  output->ring.swap(ring);  // the old one is let go after the lock: it is the parameter now
}

void Publisher::refuse(uint32_t page_index, const std::string& reason) {
  {
    std::lock_guard lock(mutex_);
    Output* output = find(page_index);
    if (output) output->refusal = reason;
  }
  changed();
}

void Publisher::say(uint32_t page_index, const std::string& text) {
  {
    std::lock_guard lock(mutex_);
    Output* output = page_index == kAllOutputs ? nullptr : find(page_index);
    (output ? output->said : said_) = text;
  }
  changed();
}

void Publisher::ring_bell(uint32_t page_index) {
  {
    std::lock_guard lock(mutex_);
    Output* output = find(page_index);
    if (!output) return;
    output->bell_at = now_ms();
    if (!output->wanted) return;
  }
  changed();
}

void Publisher::release_idle(double before) {
  std::vector<std::shared_ptr<Ring>> rings;  // let go outside of the lock
  std::lock_guard lock(mutex_);
  for (Output& output : outputs_)
    if (output.ring && !output.wanted && output.unwanted_at < before) rings.push_back(std::move(output.ring));
}

bool Publisher::connected() const {
  std::lock_guard lock(mutex_);
  return page_ != nullptr;
}

std::string Publisher::problem() const {
  std::lock_guard lock(mutex_);
  if (!page_) return gone_;
  for (const Output& output : outputs_) {
    if (!output.wanted) continue;
    if (!output.problem.empty()) return output.problem;
    if (!output.refusal.empty() && !output.ring) return output.refusal;
  }
  return {};
}

void Publisher::limit_rate(double frames_a_second) {
  std::lock_guard lock(mutex_);
  limit_ = frames_a_second;
  for (const Output& output : outputs_) apply_wish(output);
}

void Publisher::want(std::span<const uint32_t> wanted, double max_rate) {
  const double now = now_ms();
  std::lock_guard lock(mutex_);
  max_rate_ = max_rate;
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    Output& output = outputs_[i];
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), i) != wanted.end();
    if (is_wanted && !output.wanted) output.wanted_at = now;
    if (!is_wanted && output.wanted) output.unwanted_at = now;
    output.wanted = is_wanted;
    apply_wish(output);
  }
}

struct Publisher::Taken {
  std::shared_ptr<ControlPage> page;
  std::shared_ptr<Ring> ring;
  uint32_t page_index;
  ControlPage::Taken slot;
};

std::optional<Publisher::Taken> Publisher::take(uint32_t index) {
  std::lock_guard lock(mutex_);
  Output& output = outputs_[index];
  if (!page_ || !output.page_index || !output.ring) return std::nullopt;
  const auto slot =
      page_->take_newest(*output.page_index, output.ring->generation, output.ring->slots, output.last_frame);
  if (!slot) return std::nullopt;
  output.last_frame = slot->header.frame;
  return Taken{page_, output.ring, *output.page_index, *slot};
}

std::shared_ptr<const Image> Publisher::newest(uint32_t index) {
  const auto taken = take(index);
  std::shared_ptr<const Image> image;
  std::string problem;
  if (taken) {
    const seamscope_slot& header = taken->slot.header;
    const auto frame = check_desc(header.desc, taken->ring->slot_bytes);
    if (frame) {
      auto memory = taken->ring->reader->read(taken->slot.slot, *frame);
      if (memory)
        image = image_of(header, *frame, *std::move(memory));
      else
        problem = memory.error().message;
      if (taken->ring->reader->lost()) taken->ring->fail(problem);
    } else {
      problem = "Frame " + std::to_string(header.frame) + " is not shown: " + frame.error().message;
    }
    taken->page->give_back(taken->page_index, taken->ring->generation, taken->slot.slot);
  }
  std::lock_guard lock(mutex_);
  Output& output = outputs_[index];
  if (taken) output.problem = problem;
  if (image) {
    output.desc = image->desc;
    output.image = std::move(image);
  }
  return output.image;
}

uint64_t Publisher::skipped(uint32_t index) const {
  std::lock_guard lock(mutex_);
  const Output& output = outputs_[index];
  return page_ && output.page_index ? page_->skipped(*output.page_index) : 0;
}

OutputState Publisher::state_of(const Output& output, double now) const {
  if (!page_ || !output.page_index) return OutputState::Gone;
  if (!output.refusal.empty() && !output.ring) return OutputState::Refused;
  if (!output.wanted) return OutputState::Announced;
  const bool quiet = now - std::max(output.bell_at, output.wanted_at) > kSilentMs;
  if (output.last_frame == 0) return quiet ? OutputState::Silent : OutputState::Waiting;
  return quiet ? OutputState::Silent : OutputState::Live;
}

PublishedOutput Publisher::describe(const Output& output, double now) const {
  PublishedOutput shown{output.name, output.desc, state_of(output, now), {}, {}, output.last_frame, 0};
  if (page_ && output.page_index) shown.skipped = page_->skipped(*output.page_index);
  if (output.ring) shown.path = output.ring->reader->path();
  std::string silence;
  if (shown.state == OutputState::Silent)
    silence = "No frame for " + std::to_string(std::lround((now - std::max(output.bell_at, output.wanted_at)) / 1000)) +
              " s.";
  for (const std::string& text : {output.problem, output.refusal, silence, output.said})
    if (!text.empty()) shown.note += (shown.note.empty() ? "" : " ") + text;
  return shown;
}

PublisherInfo Publisher::info() const {
  const double now = now_ms();
  std::lock_guard lock(mutex_);
  PublisherInfo info{id_, label_, pid_, page_ != nullptr, notes_, {}};
  for (const std::string* text : {&said_, &gone_})
    if (!text->empty()) info.notes.push_back(*text);
  for (const Output& output : outputs_) info.outputs.push_back(describe(output, now));
  return info;
}

}  // namespace seamscope::frames
