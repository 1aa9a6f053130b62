#include "files/files_source.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.hpp"
#include "files/file_list.hpp"
#include "files/image_file.hpp"

namespace seamscope::files {
namespace {

// How often the folder is looked at; a slow one (thousands of files, a network) less often.
constexpr double kLookMs = 100, kLookShare = 20;
// A file that could not be read may still be being written for this long after its last change.
constexpr double kSettleMs = 2000;
// Names of outputs that a source remembers: they stay when other files have others. Later ones cannot be chosen.
constexpr size_t kMostNames = 1000;

// Opening waits so many times its patience for a file that keeps growing.
constexpr double kMostPatience = 10;
// Older files that are tried where the newest one is broken.
constexpr size_t kMostOlder = 16;

std::string name_of(const FileStamp& stamp) {
  return stamp.path.substr(stamp.path.rfind('/') + 1);
}

// One file. Its outputs have the indices that their names have in the source.
class FileFrame final : public Frame {
 public:
  FileFrame(uint64_t number, Image image, std::vector<size_t> indices, double produced_at)
      : number_(number), image_(std::move(image)), indices_(std::move(indices)), produced_at_(produced_at) {}

  uint64_t number() const override { return number_; }
  bool has(uint32_t output) const override { return find(output) != nullptr; }
  Result<std::span<const std::byte>> host_bytes(uint32_t output) const override {
    if (const ImageOutput* found = find(output)) return std::span<const std::byte>(found->bytes);
    return Error{"The newest file has no such layer.", "Choose one of its layers.", {}};
  }
  bool own_memory(uint32_t) const override { return image_.size() == 1; }
  const FrameDesc* desc(uint32_t output) const override {
    const ImageOutput* found = find(output);
    return found ? &found->desc : nullptr;
  }
  double produced_at() const override { return produced_at_; }

 private:
  const ImageOutput* find(uint32_t output) const {
    const auto found = std::find(indices_.begin(), indices_.end(), output);
    return found == indices_.end() ? nullptr : &image_[static_cast<size_t>(found - indices_.begin())];
  }

  uint64_t number_;
  Image image_;
  std::vector<size_t> indices_;
  double produced_at_;
};

class FilesSource final : public FrameSource {
 public:
  explicit FilesSource(const std::string& pattern) : pattern_(pattern), files_(pattern) {}
  ~FilesSource() override {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  Result<void> start(double patience_ms);

  std::vector<OutputInfo> outputs() const override {
    std::lock_guard lock(mutex_);
    return outputs_;
  }
  std::string device() const override { return "files " + pattern_; }
  bool pushes() const override { return true; }
  void listen(std::function<void()> changed) override {
    std::lock_guard lock(listener_mutex_);
    changed_ = std::move(changed);
  }
  void want(std::span<const uint32_t> outputs, double) override {
    {
      std::lock_guard lock(mutex_);
      wanted_ = !outputs.empty();
    }
    wake_.notify_one();
  }
  std::string problem() const override {
    std::lock_guard lock(mutex_);
    return problem_;
  }
  Result<std::shared_ptr<const Frame>> render(uint64_t, std::span<const uint32_t> wanted) override {
    std::lock_guard lock(mutex_);
    const bool has = newest_ && std::any_of(wanted.begin(), wanted.end(), [&](uint32_t o) { return newest_->has(o); });
    return has ? newest_ : std::shared_ptr<const Frame>();
  }

 private:
  void watch();
  // True when something has changed that views should know.
  bool look();
  bool load(const FileStamp& stamp);
  void show_older();
  void take(Image image);
  bool report(std::string problem);

  const std::string pattern_;
  const FilePattern files_;
  FileStamp seen_;         // the file last read, whether that went well or not
  bool settled_ = false;   // and whether it will be read again
  double changed_at_ = 0;  // when it was first seen as it is
  std::string unread_;     // why it could not be read
  uint64_t count_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<OutputInfo> outputs_;
  std::shared_ptr<const Frame> newest_;
  std::string problem_;
  bool wanted_ = false, stop_ = false;

  std::mutex listener_mutex_;
  std::function<void()> changed_;
  std::thread thread_;
};

Result<void> FilesSource::start(double patience_ms) {
  const double begin = now_ms();
  for (;;) {
    look();
    if (!newest_) show_older();
    if (newest_) break;
    // Who still writes the only file is waited for longer.
    const double until = std::min(std::max(begin, changed_at_) + patience_ms, begin + kMostPatience * patience_ms);
    if (now_ms() >= until || (settled_ && !problem_.empty())) {
      const std::string why = !problem_.empty()  ? problem_
                              : !unread_.empty() ? unread_
                                                 : "No file matches " + pattern_ + ".";
      return Error{why, "Start the program that writes the files, or choose other ones (PNG, EXR, NPY, PFM).", {}};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  thread_ = std::thread([this] { watch(); });
  return {};
}

void FilesSource::watch() {
  double pause = kLookMs;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    wake_.wait_for(lock, std::chrono::duration<double, std::milli>(pause), [this] { return stop_; });
    wake_.wait(lock, [this] { return stop_ || wanted_; });
    if (stop_) return;
    lock.unlock();
    const double begin = now_ms();
    if (look()) {
      std::lock_guard listener(listener_mutex_);
      if (changed_) changed_();
    }
    pause = std::max(kLookMs, kLookShare * (now_ms() - begin));
    lock.lock();
  }
}

bool FilesSource::look() {
  const auto newest = files_.newest();
  if (!newest) return report(newest.error().message);
  if (!*newest) return newest_ ? false : report("");
  if (**newest == seen_ && settled_) return false;
  return load(**newest);
}

// A file that changes while it is read, or that cannot be read yet, is read again the next time.
bool FilesSource::load(const FileStamp& stamp) {
  if (stamp != seen_) changed_at_ = now_ms();
  seen_ = stamp;
  settled_ = false;
  const auto bytes = read_file(stamp.path);
  Result<Image> image = bytes ? read_image(*bytes) : Result<Image>(bytes.error());
  const auto after = files_.newest();
  if (after && *after && (*after)->path == stamp.path && **after != stamp) return false;
  unread_ = image ? std::string() : name_of(stamp) + ": " + image.error().message;
  if (image) {
    settled_ = true;
    take(*std::move(image));
    return true;
  }
  if (now_ms() - changed_at_ < kSettleMs) return false;
  settled_ = true;
  return report(unread_);
}

// At the start, while the newest file is not whole: the newest one that is. The newest is read again all the same.
void FilesSource::show_older() {
  const auto files = files_.all();
  if (!files) return;
  for (size_t i = 1; i < std::min(files->size(), kMostOlder); ++i) {
    const FileStamp& file = (*files)[i];
    const auto bytes = read_file(file.path);
    auto image = bytes ? read_image(*bytes) : Result<Image>(bytes.error());
    if (!image) continue;
    take(*std::move(image));
    report(name_of(files->front()) + " cannot be read yet; this is " + name_of(file) + ".");
    return;
  }
}

void FilesSource::take(Image image) {
  std::vector<size_t> indices;
  std::lock_guard lock(mutex_);
  for (const ImageOutput& output : image) {
    const auto known = std::find_if(outputs_.begin(), outputs_.end(),
                                    [&](const OutputInfo& other) { return other.name == output.name; });
    indices.push_back(static_cast<size_t>(known - outputs_.begin()));  // beyond kMostNames: nobody asks for it
    if (known != outputs_.end())
      known->desc = output.desc;
    else if (outputs_.size() < kMostNames)
      outputs_.push_back({output.name, output.desc});
  }
  problem_.clear();
  newest_ = std::make_shared<FileFrame>(++count_, std::move(image), std::move(indices), now_ms());
}

bool FilesSource::report(std::string problem) {
  std::lock_guard lock(mutex_);
  if (problem_ == problem) return false;
  problem_ = std::move(problem);
  return true;
}

}  // namespace

Result<std::unique_ptr<FrameSource>> open_files_source(const std::string& pattern, double patience_ms) {
  auto source = std::make_unique<FilesSource>(pattern);
  if (auto started = source->start(patience_ms); !started) return started.error();
  return std::unique_ptr<FrameSource>(std::move(source));
}

}  // namespace seamscope::files
