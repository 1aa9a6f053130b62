// The calls of a session: bookkeeping under the lock. What the render thread does is in session_loop.cpp.

#include "preview/session.hpp"

#include "base/clock.hpp"
#include "preview/history.hpp"

namespace seamscope {
namespace {

const char* const kReopen = "Close the preview and open it again.";

}  // namespace

Session::Session(std::unique_ptr<FrameSource> source) : source_(std::move(source)), passes_(source_->device_passes()) {
  on_device_ = passes_ != nullptr;
  if (!passes_) passes_ = std::make_unique<CpuPasses>();
  drawer_ = std::make_unique<ViewDrawer>(on_device_ ? passes_.get() : nullptr, drawing_means());
  device_ = source_->device() + ", " + passes_->name();
  encoder_ = std::make_unique<EncodeQueue>([this](SessionView& view) {
    {
      std::lock_guard lock(mutex_);
      view.schedule.picked_up();
    }
    wake_.notify_one();
  });
  if (source_->pushes()) {
    pushes_ = 1;
    source_->listen([this] {
      {
        std::lock_guard lock(mutex_);
        ++pushes_;
      }
      wake_.notify_one();
    });
  }
  thread_ = std::thread([this] { loop(); });
}

void Session::close() {
  std::lock_guard once(close_mutex_);
  if (!thread_.joinable()) return;
  std::map<uint32_t, ViewPtr> views;
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    views.swap(views_);
  }
  wake_.notify_one();
  for (auto& [id, view] : views) view->door.close();
  thread_.join();
  drawer_.reset();
  if (source_->pushes()) {
    source_->listen(nullptr);
    source_->want({}, 0);
  }
  encoder_.reset();
  views.clear();
  pushed_.reset();
  History::shared().forget(this);
  std::lock_guard lock(reference_mutex_);
  references_.clear();
}

Result<void> Session::open_view(uint32_t id, ViewParams params, std::shared_ptr<ViewSink> sink) {
  const auto output = output_index(params.output);
  if (!output) return output.error();
  std::lock_guard lock(mutex_);
  if (failed_) return *failed_;
  if (stop_) return Error{"The source is closed.", kReopen, {}};
  const auto view = std::make_shared<SessionView>(id, std::move(params), *output, std::move(sink));
  if (!views_.emplace(id, view).second)
    return Error{"There already is a view " + std::to_string(id) + ".", "Close it first.", {}};
  return {};
}

Result<void> Session::update_view(uint32_t id, ViewParams params) {
  const auto output = output_index(params.output);
  if (!output) return output.error();
  {
    std::lock_guard lock(mutex_);
    const ViewPtr view = find(id);
    if (!view) return {};
    view->schedule.set_max_rate(params.max_rate);
    view->schedule.change(now_ms());
    view->params = std::move(params);
    view->schedule.pause(view->paused || view->params.history, now_ms());
    if (view->output != *output && source_->pushes()) {
      view->seen = 0;
      view->schedule.forget_picture();
    }
    view->output = *output;
  }
  wake_.notify_one();
  return {};
}

void Session::credit(uint32_t id, uint32_t count) {
  {
    std::lock_guard lock(mutex_);
    if (const ViewPtr view = find(id)) view->schedule.credit(count);
  }
  wake_.notify_one();
}

void Session::pause(uint32_t id, bool paused) {
  {
    std::lock_guard lock(mutex_);
    if (const ViewPtr view = find(id)) {
      view->paused = paused;
      view->schedule.pause(paused || view->params.history, now_ms());
    }
  }
  wake_.notify_one();
}

void Session::close_view(uint32_t id) {
  ViewPtr view;
  {
    std::lock_guard lock(mutex_);
    view = find(id);
    views_.erase(id);
  }
  if (view) view->door.close();
}

void Session::step(uint32_t id) {
  {
    std::lock_guard lock(mutex_);
    if (const ViewPtr view = find(id)) view->schedule.step(now_ms());
  }
  wake_.notify_one();
}

Session::ViewPtr Session::find(uint32_t id) const {
  const auto found = views_.find(id);
  return found == views_.end() ? nullptr : found->second;
}

Result<uint32_t> Session::output_index(const std::string& name) const {
  std::string names;
  const std::vector<OutputInfo> all = outputs();
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return i;
    names += (i ? ", " : "") + all[i].name;
  }
  return Error{"The source has no output named \"" + name + "\".", "Choose one of: " + names + ".", {}};
}

}  // namespace seamscope
