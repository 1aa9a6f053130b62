#include "addon/preview.hpp"

#include <memory>

#include "addon/result_worker.hpp"
#include "addon/source.hpp"
#include "addon/source_open.hpp"

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

Napi::Value js_open_scene(const Napi::CallbackInfo& info) {
  return ResultWorker<std::shared_ptr<Session>>::start(
      info.Env(), [options = scene_options(info[0])] { return open_session(options); },
      [](Napi::Env env, std::shared_ptr<Session> session) { return NativeSource::wrap(env, std::move(session)); });
}

}  // namespace

void RegisterPreview(Napi::Env env, Napi::Object exports) {
  exports.Set("openScene", Napi::Function::New(env, js_open_scene, "openScene"));
}

}  // namespace seamscope
