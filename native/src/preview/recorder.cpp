#include "preview/recorder.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <new>

#include "preview/save.hpp"

namespace seamscope {
namespace {

// Frames that wait for the disk; each holds its producer's memory.
constexpr size_t kMostWaiting = 8;

// OUTPUT.000123.EXT, from the second run of its program on OUTPUT-2.000123.EXT; what is no letter, digit, dash or
// underscore in a name becomes an underscore.
std::string file_name(const std::string& output, uint32_t run, uint64_t number, const std::string& format) {
  std::string name = output.empty() ? "frame" : output;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' ? static_cast<char>(c) : '_'; });
  if (run > 1) name += "-" + std::to_string(run);
  std::string digits = std::to_string(number);
  if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
  return name + "." + digits + "." + format;
}

// Whether it has files that a recording might replace.
bool holds_frames(const std::filesystem::path& folder, const std::string& format) {
  std::error_code failed;
  for (std::filesystem::directory_iterator file(folder, failed), end; !failed && file != end; file.increment(failed))
    if (file->path().extension() == "." + format) return true;
  return false;
}

// Makes `folder`; where an earlier recording is in it, the first of recording-2, recording-3 and so on inside that is
// not there yet.
Result<std::string> make_folder(const std::string& folder, const std::string& format) {
  std::error_code failed;
  std::filesystem::path made = folder;
  std::filesystem::create_directories(made, failed);
  for (int number = 2; !failed && (made == folder ? holds_frames(made, format) : true); ++number) {
    made = std::filesystem::path(folder) / ("recording-" + std::to_string(number));
    if (std::filesystem::create_directory(made, failed)) break;
  }
  if (!failed && std::filesystem::is_directory(made, failed)) return made.string();
  return Error{"The folder " + made.string() + " cannot be made" + (failed ? ": " + failed.message() : "") + ".",
               "Choose another folder.",
               {}};
}

}  // namespace

Result<std::shared_ptr<Recorder>> Recorder::start(RecordOptions options) {
  auto folder = make_folder(options.folder, options.format);
  if (!folder) return folder.error();
  options.folder = *std::move(folder);
  return std::shared_ptr<Recorder>(new Recorder(options));
}

Recorder::Recorder(const RecordOptions& options) : options_(options) {
  state_.folder = options.folder;
  state_.running = true;
  thread_ = std::thread([this] { loop(); });
}

Recorder::~Recorder() {
  {
    std::lock_guard lock(mutex_);
    waiting_.clear();
  }
  static_cast<void>(stop());
}

void Recorder::add(Shot shot) {
  {
    std::lock_guard lock(mutex_);
    if (stop_ || !state_.running || taken_ >= options_.frames) return;
    if (waiting_.size() >= kMostWaiting) {
      ++state_.dropped;
      return;
    }
    ++taken_;
    waiting_.push_back(std::move(shot));
  }
  wake_.notify_one();
}

RecordingState Recorder::stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  std::lock_guard once(join_mutex_);
  if (thread_.joinable()) thread_.join();
  return state();
}

RecordingState Recorder::state() const {
  std::lock_guard lock(mutex_);
  return state_;
}

void Recorder::loop() {
  std::unique_lock lock(mutex_);
  while (state_.running) {
    wake_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (waiting_.empty()) break;
    const Shot shot = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    write(shot);
    lock.lock();
    if (state_.written >= options_.frames) break;
  }
  state_.running = false;
  waiting_.clear();
}

uint32_t Recorder::run_of(const std::string& output, uint64_t number) {
  Run& run = runs_[output];
  if (number < run.last) ++run.count;
  run.last = number;
  return run.count;
}

void Recorder::write(const Shot& shot) {
  const uint64_t number = shot.frame->number();
  const std::string path =
      options_.folder + "/" + file_name(shot.output, run_of(shot.output, number), number, options_.format);
  try {
    const auto contents = file_contents(path, shot.bytes, shot.desc);
    if (!contents) return end(contents.error());
    const auto written = write_file(path, *contents);
    if (!written) return end(written.error());
    std::lock_guard lock(mutex_);
    ++state_.written;
    state_.bytes += *written;
  } catch (const std::bad_alloc&) {
    end(Error{"There is not enough memory to write the frame.", "Close other programs.", {}});
  }
}

void Recorder::end(std::optional<Error> problem) {
  std::lock_guard lock(mutex_);
  state_.problem = std::move(problem);
  state_.running = false;
}

}  // namespace seamscope
