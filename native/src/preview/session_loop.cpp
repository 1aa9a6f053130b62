// The render thread of a session.

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>

#include "base/clock.hpp"
#include "preview/host_output.hpp"
#include "preview/session.hpp"

namespace seamscope {
namespace {

const Error kNoMemory{
    "There is not enough memory for the picture.", "Make the panel smaller or close other programs.", {}};
const Error kClosed{"The source was closed.", "Open the preview again.", {}};

}  // namespace

void Session::loop() {
  std::unique_lock lock(mutex_);
  while (!stop_ && !failed_) {
    if (!grabs_.empty()) {
      GrabRequest request = std::move(grabs_.front());
      grabs_.pop_front();
      lock.unlock();
      request.answer.set_value(serve(request));
      lock.lock();
      continue;
    }
    if (source_->pushes()) fetch_pushed(lock);
    if (stop_ || failed_) break;
    const std::vector<Task> tasks = take_tasks(now_ms());
    if (tasks.empty()) {
      const double wake = next_wake();
      if (wake == std::numeric_limits<double>::infinity())
        wake_.wait(lock);
      else
        wake_.wait_for(lock, std::chrono::duration<double, std::milli>(std::max(wake - now_ms(), 0.0)));
      continue;
    }
    lock.unlock();
    const Result<void> done = perform(tasks);
    if (!done) fail(done.error());
    lock.lock();
  }
  for (GrabRequest& request : grabs_) request.answer.set_value(failed_ ? *failed_ : kClosed);
  grabs_.clear();
}

// Whether the newest frame is another one than the view shows. Sources that do not push always have another one.
bool Session::frame_there(const SessionView& view) const {
  if (!source_->pushes()) return true;
  if (!pushed_ || !pushed_->frame->has(view.output)) return false;
  if (!view.shown || !view.schedule.has_picture() || !view.shown->frame->has(view.output)) return true;
  if (view.shown == pushed_) return false;
  const auto shown = view.shown->frame->host_bytes(view.output), newest = pushed_->frame->host_bytes(view.output);
  return !shown || !newest || shown->data() != newest->data();
}

// Looks for a newer frame of a pushing source when somebody can take it.
void Session::fetch_pushed(std::unique_lock<std::mutex>& lock) {
  const double now = now_ms();
  tell_source(now);
  std::vector<ViewPtr> takers;
  std::vector<uint32_t> wanted;
  for (const auto& [id, view] : views_) {
    if (view->seen == pushes_ || view->schedule.next(now) != ViewAction::Frame) continue;
    takers.push_back(view);
    if (std::find(wanted.begin(), wanted.end(), view->output) == wanted.end()) wanted.push_back(view->output);
  }
  if (wanted.empty()) return;
  for (const ViewPtr& view : takers) view->seen = pushes_;
  lock.unlock();
  const auto newest = render(0, wanted);
  if (!newest)
    fail(newest.error());
  else if ((*newest)->frame && (!pushed_ || pushed_->frame != (*newest)->frame))
    pushed_ = *newest;
  lock.lock();
}

// Tells a pushing source what somebody looks at, whenever that changes.
void Session::tell_source(double now) {
  std::vector<uint32_t> wanted;
  double rate = 0;
  for (const auto& [id, view] : views_) {
    if (!view->schedule.wants_source(now)) continue;
    rate = std::max(rate, view->params.max_rate);
    if (std::find(wanted.begin(), wanted.end(), view->output) == wanted.end()) wanted.push_back(view->output);
  }
  if (wanted == told_ && rate == told_rate_) return;
  source_->want(wanted, rate);
  told_ = std::move(wanted);
  told_rate_ = rate;
}

std::vector<Session::Task> Session::take_tasks(double now) {
  const bool frame = std::any_of(views_.begin(), views_.end(), [&](const auto& entry) {
    return entry.second->schedule.next(now, frame_there(*entry.second)) == ViewAction::Frame;
  });
  std::vector<Task> tasks;
  for (auto& [id, view] : views_) {
    ViewSchedule& schedule = view->schedule;
    const bool there = frame_there(*view);
    ViewAction action = schedule.next(now, there);
    if (frame && there && schedule.joins(now)) action = ViewAction::Frame;
    if (frame && action != ViewAction::Frame) schedule.passed(now);
    if (action == ViewAction::None) continue;
    schedule.made(action, now);
    tasks.push_back({view, action, view->params, view->output, schedule.dropped()});
  }
  return tasks;
}

double Session::next_wake() const {
  double wake = std::numeric_limits<double>::infinity();
  const bool pushes = source_->pushes();
  for (const auto& [id, view] : views_) {
    wake = std::min(wake, view->schedule.wake_at(!pushes || view->seen != pushes_ || frame_there(*view)));
    const double until = view->schedule.wants_source_until();
    if (pushes && until > now_ms()) wake = std::min(wake, until);
  }
  return wake;
}

Result<void> Session::perform(const std::vector<Task>& tasks) {
  try {
    if (auto done = show_new_frame(tasks); !done) return done;
    for (const Task& task : tasks) {
      StageTimes times;
      if (task.action == ViewAction::Frame) {
        times.render = task.view->shown->render_ms;
      } else if (!source_->pushes() && !task.view->shown->frame->has(task.output)) {
        // The output was changed on a frame that was made without it: the same frame once more, with it.
        auto again = render(task.view->shown->frame->number(), {task.output});
        if (!again) return again.error();
        task.view->shown = *std::move(again);
        times.render = task.view->shown->render_ms;
      }
      if (auto done = make_picture(task, times); !done) return done;
    }
  } catch (const std::bad_alloc&) {
    return kNoMemory;
  }
  return {};
}

Result<void> Session::show_new_frame(const std::vector<Task>& tasks) {
  std::vector<uint32_t> wanted;
  for (const Task& task : tasks)
    if (task.action == ViewAction::Frame && std::find(wanted.begin(), wanted.end(), task.output) == wanted.end())
      wanted.push_back(task.output);
  if (wanted.empty()) return {};
  const Result<std::shared_ptr<ShownFrame>> shown = source_->pushes() ? pushed_ : render(next_frame_++, wanted);
  if (!shown) return shown.error();
  for (const Task& task : tasks)
    if (task.action == ViewAction::Frame) task.view->shown = *shown;
  return {};
}

Result<std::shared_ptr<ShownFrame>> Session::render(uint64_t number, const std::vector<uint32_t>& wanted) {
  const double start = now_ms();
  auto frame = source_->render(number, wanted);
  if (!frame) return frame.error();
  const double end = now_ms();
  const double produced = *frame ? (*frame)->produced_at() : 0;
  return std::make_shared<ShownFrame>(ShownFrame{*std::move(frame), produced > 0 ? produced : end, end - start, {}});
}

Result<void> Session::make_picture(const Task& task, StageTimes times) {
  ShownFrame& shown = *task.view->shown;
  const OutputInfo shown_output = outputs()[task.output];
  const FrameDesc* own = shown.frame->desc(task.output);
  const FrameDesc desc = own ? *own : shown_output.desc;
  const OutputRef output{*shown.frame, task.output, desc};
  const double start = now_ms();
  if (shown.stats.find(task.output) == shown.stats.end()) {
    const auto stats = passes_->ingest(output);
    if (!stats) return stats.error();
    shown.stats[task.output] = *stats;
    times.ingest = now_ms() - start;
  }
  const FrameStats& stats = shown.stats[task.output];
  const double ingested = now_ms();
  Picture picture = encoder_->spare_picture();
  if (auto done = passes_->view(output, task.params, stats, picture); !done) return done;
  times.view = now_ms() - ingested;

  const bool lossless = task.action == ViewAction::Lossless;
  const EncodeOptions options = lossless ? lossless_options(task.params) : moving_options(task.params, desc.kind);
  FrameInfo info;
  info.view_id = task.view->id;
  info.sequence = ++task.view->sequence;
  info.frame = shown.frame->number();
  info.output = shown_output.name;
  info.width = picture.width;
  info.height = picture.height;
  info.encoding = options.encoding;
  info.lossless = lossless;
  info.frame_width = desc.width;
  info.frame_height = desc.height;
  info.stats = stats;
  info.produced_at = shown.produced_at;
  info.times = times;
  info.times.handoff = shown.frame->handoff_ms();
  info.dropped = task.dropped;
  info.skipped = shown.frame->skipped();
  info.x = task.params.x;
  info.y = task.params.y;
  info.rect_w = task.params.rect_w;
  info.rect_h = task.params.rect_h;
  info.desc = desc;
  encoder_->push({task.view, std::move(picture), std::move(info), options});
  return {};
}

Result<Session::Grab> Session::serve(const GrabRequest& request) {
  const auto& shown = request.view->shown;
  const Error nothing{"The view has not shown a frame yet.", "Wait for the first picture and try again.", {}};
  if (!shown || !shown->frame->has(request.output)) return nothing;
  const FrameDesc* own = shown->frame->desc(request.output);
  const FrameDesc desc = own ? *own : outputs()[request.output].desc;
  const auto bytes = host_output({*shown->frame, request.output, desc});
  if (!bytes) return bytes.error();
  return Grab{shown->frame, *bytes, desc, request.flip_y};
}

void Session::fail(const Error& error) {
  std::map<uint32_t, ViewPtr> views;
  {
    std::lock_guard lock(mutex_);
    failed_ = error;
    views.swap(views_);
  }
  for (auto& [id, view] : views) {
    view->door.pass([&](ViewSink& sink) { sink.on_failed(error); });
    view->door.close();
  }
}

}  // namespace seamscope
