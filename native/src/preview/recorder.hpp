#pragma once
// Writes the frames that a view shows to a folder, one file each, on a thread of its own.

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "preview/frame_info.hpp"
#include "preview/frame_source.hpp"

namespace seamscope {

struct RecordOptions {
  std::string folder, format;  // the format is a file extension without its dot
  uint64_t frames = 1;
};

// Thread-safe.
class Recorder {
 public:
  // Makes the folder. Error when it cannot be made or written to.
  static Result<std::shared_ptr<Recorder>> start(RecordOptions options);
  // Finishes the file in the making; what waits is not written.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  struct Shot {
    std::shared_ptr<const Frame> frame;
    std::span<const std::byte> bytes;  // live as long as the frame does
    FrameDesc desc;
    std::string output;
  };
  // Counts it as dropped when the writer is behind. Does nothing once the recording has ended.
  void add(Shot shot);
  // Takes no more frames, writes what waits, and says how it went.
  RecordingState stop();
  RecordingState state() const;

 private:
  explicit Recorder(const RecordOptions& options);
  void loop();
  void write(const Shot& shot);
  // A program that is started again numbers its frames from the beginning: its files may not replace the earlier ones.
  uint32_t run_of(const std::string& output, uint64_t number);
  void end(std::optional<Error> problem);

  struct Run {
    uint64_t last = 0;
    uint32_t count = 1;
  };

  const RecordOptions options_;
  std::map<std::string, Run> runs_;  // by output; of the thread alone
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Shot> waiting_;
  RecordingState state_;
  uint64_t taken_ = 0;
  bool stop_ = false;
  std::mutex join_mutex_;
  std::thread thread_;
};

}  // namespace seamscope
