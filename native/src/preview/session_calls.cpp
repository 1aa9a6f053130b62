// What is asked about the frame that a view shows: answered by the render thread, between two pictures.

#include <algorithm>
#include <future>

#include "preview/history.hpp"
#include "preview/host_output.hpp"
#include "preview/session.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

constexpr size_t kMostReferences = 8;

const Error kViewClosed{"The view is closed.", "Close the preview and open it again.", {}};
const Error kNothingShown{"The view has not shown a frame yet.", "Wait for the first picture and try again.", {}};

}  // namespace

template <typename T>
Result<T> Session::on_render_thread(uint32_t id, std::function<Result<T>(const CallView&)> work) {
  std::promise<Result<T>> promise;
  auto answer = promise.get_future();
  {
    std::lock_guard lock(mutex_);
    if (failed_) return *failed_;
    const ViewPtr view = find(id);
    if (!view || stop_) return kViewClosed;
    calls_.push_back(
        [&promise, work = std::move(work), view, params = view->params, output = view->output](const Error* refused) {
          promise.set_value(refused ? Result<T>(*refused) : work({*view, params, output}));
        });
  }
  wake_.notify_one();
  return answer.get();
}

Result<Session::Grab> Session::grab(uint32_t id) {
  return on_render_thread<Grab>(id, [this](const CallView& call) { return grab_now(call); });
}

Result<Session::Grab> Session::grab_now(const CallView& call) {
  std::string problem;
  const auto subject = subject_of(call.view, call.params, call.output, problem);
  if (!subject) return subject.error();
  const auto bytes = host_output({*subject->shown->frame, call.output, subject->desc, subject->offset});
  if (!bytes) return bytes.error();
  return Grab{subject->shown->frame, *bytes, subject->desc, call.params.flip_y};
}

Result<Session::Subject> Session::subject_of(SessionView& view, const ViewParams& params, uint32_t output,
                                             std::string& problem) {
  Subject subject;
  subject.shown = view.shown;
  auto& recalled = view.findings.recalled;
  if (!params.history) {
    recalled.reset();
  } else {
    if (!recalled || recalled->frame->number() != *params.history || !recalled->frame->has(output)) {
      const auto kept = History::shared().find(this, output, *params.history);
      recalled = kept ? std::make_shared<ShownFrame>(ShownFrame{kept, kept->produced_at(), 0, {}}) : nullptr;
    }
    if (recalled)
      subject.shown = recalled;
    else
      problem = "Frame " + std::to_string(*params.history) + " is no longer kept; this is the newest one.";
  }
  if (!subject.shown || !subject.shown->frame->has(output)) return kNothingShown;
  const FrameDesc* own = subject.shown->frame->desc(output);
  subject.desc = own ? *own : outputs()[output].desc;
  subject.batch = subject.desc.batches < 2 ? 0 : std::min(params.batch, subject.desc.batches - 1);
  subject.offset = batch_offset(subject.desc, subject.batch);
  return subject;
}

Result<Session::Pinned> Session::pin(uint32_t id) {
  return on_render_thread<Pinned>(id, [this](const CallView& call) -> Result<Pinned> {
    std::string problem;
    const auto subject = subject_of(call.view, call.params, call.output, problem);
    if (!subject) return subject.error();
    const double produced_at = subject->shown->produced_at;
    auto kept = KeptFrame::keep(subject->shown->frame, call.output, subject->desc, produced_at);
    if (!kept) return kept.error();
    std::lock_guard lock(reference_mutex_);
    if (references_.size() >= kMostReferences)
      return Error{std::to_string(kMostReferences) + " references are kept already.", "Remove one of them first.", {}};
    references_[++last_reference_] = std::make_shared<ShownFrame>(ShownFrame{*kept, produced_at, 0, {}});
    return Pinned{last_reference_, (*kept)->number(), (*kept)->bytes(), outputs()[call.output].name};
  });
}

void Session::unpin(uint32_t reference) {
  std::shared_ptr<ShownFrame> last;
  std::lock_guard lock(reference_mutex_);
  const auto found = references_.find(reference);
  if (found == references_.end()) return;
  last = std::move(found->second);
  references_.erase(found);
}

std::shared_ptr<ShownFrame> Session::reference(uint32_t id) const {
  std::lock_guard lock(reference_mutex_);
  const auto found = references_.find(id);
  return found == references_.end() ? nullptr : found->second;
}

Result<Session::Kept> Session::history(uint32_t id) const {
  std::unique_lock lock(mutex_);
  const ViewPtr view = find(id);
  if (!view) return kViewClosed;
  const uint32_t output = view->output;
  lock.unlock();
  return Kept{History::shared().numbers(this, output), History::shared().state(this, output)};
}

Result<RecordingState> Session::record(uint32_t id, const RecordOptions& options) {
  auto recorder = Recorder::start(options);
  if (!recorder) return recorder.error();
  return on_render_thread<RecordingState>(id, [recorder = *recorder](const CallView& call) -> Result<RecordingState> {
    call.view.recorder = recorder;
    return recorder->state();
  });
}

Result<RecordingState> Session::stop_recording(uint32_t id) {
  const auto recorder =
      on_render_thread<std::shared_ptr<Recorder>>(id, [](const CallView& call) -> Result<std::shared_ptr<Recorder>> {
        return std::exchange(call.view.recorder, nullptr);
      });
  if (!recorder) return recorder.error();
  if (!*recorder) return Error{"Nothing is being recorded.", "Start a recording first.", {}};
  return (*recorder)->stop();
}

}  // namespace seamscope
