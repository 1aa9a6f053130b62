#include "addon/source.hpp"

#include <algorithm>

#include "addon/result_worker.hpp"
#include "addon/view.hpp"
#include "addon/view_json.hpp"

namespace seamscope {

struct NativeSource::Start {
  std::shared_ptr<Session> session;
  std::shared_ptr<OpenSources> open;
  Describe describe;
};

Napi::Object NativeSource::wrap(Napi::Env env, std::shared_ptr<Session> session, std::shared_ptr<OpenSources> open,
                                Describe describe) {
  Start start{std::move(session), std::move(open), std::move(describe)};
  const Napi::Function source = DefineClass(
      env, "NativeSource",
      {InstanceMethod<&NativeSource::describe>("describe"),
       InstanceMethod<&NativeSource::gpu_memory_bytes>("gpuMemoryBytes"),
       InstanceMethod<&NativeSource::open_view>("openView"), InstanceMethod<&NativeSource::close>("close")});
  return source.New({Napi::External<Start>::New(env, &start)});
}

NativeSource::NativeSource(const Napi::CallbackInfo& info) : Napi::ObjectWrap<NativeSource>(info) {
  if (info.Length() != 1 || !info[0].IsExternal())
    throw Napi::TypeError::New(info.Env(), "A source is opened by openScene() and its like.");
  Start& start = *info[0].As<Napi::External<Start>>().Data();
  session_ = std::move(start.session);
  open_ = std::move(start.open);
  describe_ = std::move(start.describe);
  open_->insert(this);
  napi_add_env_cleanup_hook(info.Env(), on_environment_end, this);
}

NativeSource::~NativeSource() {
  close_now();
}

void NativeSource::on_environment_end(void* source) {
  static_cast<NativeSource*>(source)->close_now();
}

void NativeSource::close_now() {
  if (const auto session = release()) session->close();
}

std::shared_ptr<Session> NativeSource::release() {
  if (!session_) return nullptr;
  napi_remove_env_cleanup_hook(Env(), on_environment_end, this);
  open_->erase(this);
  for (const auto& open : std::exchange(views_, {})) {
    const auto callbacks = open.lock();
    if (callbacks && callbacks->view) callbacks->view->stop();
  }
  return std::exchange(session_, nullptr);
}

std::shared_ptr<Session> NativeSource::checked_session(Napi::Env env) const {
  if (!session_) throw js_error(env, {"The source is closed.", "Open the preview again.", {}});
  return session_;
}

Napi::Value NativeSource::describe(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), describe_(*checked_session(info.Env())));
}

Napi::Value NativeSource::gpu_memory_bytes(const Napi::CallbackInfo& info) {
  const uint64_t bytes = session_ ? session_->gpu_memory_bytes() : 0;
  return Napi::Number::New(info.Env(), static_cast<double>(bytes));
}

Napi::Value NativeSource::open_view(const Napi::CallbackInfo& info) {
  const auto gone = [](const std::weak_ptr<ViewCallbacks>& view) { return view.expired(); };
  views_.erase(std::remove_if(views_.begin(), views_.end(), gone), views_.end());
  std::weak_ptr<ViewCallbacks> callbacks;
  const Napi::Object view = NativeView::open(info, checked_session(info.Env()), callbacks);
  views_.push_back(callbacks);
  return view;
}

Napi::Value NativeSource::close(const Napi::CallbackInfo& info) {
  struct Done {};
  return ResultWorker<Done>::start(
      info.Env(),
      [session = release()]() -> Result<Done> {
        if (session) session->close();
        return Done{};
      },
      [](Napi::Env env, Done) { return env.Undefined(); });
}

}  // namespace seamscope
