#include "addon/preview.hpp"

#include <memory>

#include "addon/hub.hpp"
#include "addon/result_worker.hpp"
#include "addon/source.hpp"
#include "addon/source_open.hpp"
#include "addon/view_json.hpp"
#include "files/files_source.hpp"
#include "preview/history.hpp"

namespace seamscope {
namespace {

SceneOptions scene_options(const Napi::Value& value) {
  const Napi::Object options = value.As<Napi::Object>();
  return {options.Get("device").As<Napi::String>(), options.Get("width").As<Napi::Number>(),
          options.Get("height").As<Napi::Number>()};
}

Result<std::shared_ptr<Session>> open_session(const SceneOptions& options) {
  auto source = open_scene_source(options);
  if (!source) return source.error();
  return std::make_shared<Session>(*std::move(source));
}

void set_history_budget(const Napi::CallbackInfo& info) {
  History::shared().set_budget(static_cast<uint64_t>(info[0].As<Napi::Number>().Int64Value()));
}

Napi::Value history_bytes(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(KeptFrame::total_bytes()));
}

// process.exit() and uncaught exceptions end the main thread's process without the environment's clean-up hooks, but
// with the destructors of every library: threads that still render would then use what is gone. The "exit" event comes
// before, in every case.
void close_at_exit(Napi::Env env, std::shared_ptr<OpenSources> open) {
  const auto process = env.Global().Get("process").As<Napi::Object>();
  const auto close_all = [open](const Napi::CallbackInfo&) {
    while (!open->empty()) (*open->begin())->close_now();
  };
  process.Get("once").As<Napi::Function>().Call(
      process, {Napi::String::New(env, "exit"), Napi::Function::New(env, close_all, "closeSources")});
}

}  // namespace

void RegisterPreview(Napi::Env env, Napi::Object exports) {
  const auto open = std::make_shared<OpenSources>();
  close_at_exit(env, open);
  const auto open_scene = [open](const Napi::CallbackInfo& info) -> Napi::Value {
    return ResultWorker<std::shared_ptr<Session>>::start(
        info.Env(), [options = scene_options(info[0])] { return open_session(options); },
        [open](Napi::Env env, std::shared_ptr<Session> session) {
          return NativeSource::wrap(env, std::move(session), open, source_json_text);
        });
  };
  const auto open_files = [open](const Napi::CallbackInfo& info) -> Napi::Value {
    const std::string pattern = info[0].As<Napi::Object>().Get("pattern").As<Napi::String>();
    return ResultWorker<std::shared_ptr<Session>>::start(
        info.Env(),
        [pattern]() -> Result<std::shared_ptr<Session>> {
          auto source = files::open_files_source(pattern);
          if (!source) return source.error();
          return std::make_shared<Session>(*std::move(source));
        },
        [open, pattern](Napi::Env env, std::shared_ptr<Session> session) {
          const auto describe = [pattern](const Session& session) { return files_json_text(session, pattern); };
          return NativeSource::wrap(env, std::move(session), open, describe);
        });
  };
  RegisterHub(env, exports, open);
  exports.Set("openFiles", Napi::Function::New(env, open_files, "openFiles"));
  exports.Set("setHistoryBudget", Napi::Function::New(env, set_history_budget, "setHistoryBudget"));
  exports.Set("historyBytes", Napi::Function::New(env, history_bytes, "historyBytes"));
  exports.Set("openScene", Napi::Function::New(env, open_scene, "openScene"));
}

}  // namespace seamscope
