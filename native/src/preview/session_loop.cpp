// The render thread of a session.

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>

#include "base/clock.hpp"
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
    if (!calls_.empty()) {
      const Call call = std::move(calls_.front());
      calls_.pop_front();
      lock.unlock();
      call(nullptr);
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
  for (const Call& call : std::exchange(calls_, {})) call(failed_ ? &*failed_ : &kClosed);
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
  if (std::string problem = source_->problem(); problem != told_problem_) {
    for (const auto& [id, view] : views_) view->schedule.change(now);
    told_problem_ = std::move(problem);
  }
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
    keep(tasks);
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
