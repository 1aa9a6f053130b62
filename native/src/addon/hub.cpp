#include "addon/hub.hpp"

#include "addon/errors.hpp"
#include "addon/hub_json.hpp"

namespace seamscope {

struct NativeHub::Start {
  std::shared_ptr<frames::Hub> hub;
  std::shared_ptr<OpenHubs> hubs;
  std::shared_ptr<OpenSources> sources;
  Napi::Function on_changed;
};

Napi::Object NativeHub::open(const Napi::CallbackInfo& info, std::shared_ptr<OpenHubs> hubs,
                             std::shared_ptr<OpenSources> sources) {
  const Napi::Env env = info.Env();
  const Napi::Object given = info[0].As<Napi::Object>();
  auto hub = frames::Hub::open({given.Get("folder").As<Napi::String>(), given.Get("name").As<Napi::String>(),
                                given.Get("maxRate").As<Napi::Number>()});
  if (!hub) throw js_error(env, hub.error());
  Start start{*std::move(hub), std::move(hubs), std::move(sources), info[1].As<Napi::Function>()};
  const Napi::Function made =
      DefineClass(env, "NativeHub",
                  {InstanceAccessor<&NativeHub::socket>("socket"), InstanceMethod<&NativeHub::list>("list"),
                   InstanceMethod<&NativeHub::set_max_rate>("setMaxRate"),
                   InstanceMethod<&NativeHub::open_source>("openSource"), InstanceMethod<&NativeHub::close>("close")});
  return made.New({Napi::External<Start>::New(env, &start)});
}

NativeHub::NativeHub(const Napi::CallbackInfo& info) : Napi::ObjectWrap<NativeHub>(info) {
  if (info.Length() != 1 || !info[0].IsExternal())
    throw Napi::TypeError::New(info.Env(), "A hub is opened by openHub().");
  Start& start = *info[0].As<Napi::External<Start>>().Data();
  hub_ = std::move(start.hub);
  hubs_ = std::move(start.hubs);
  sources_ = std::move(start.sources);
  changed_ = Napi::ThreadSafeFunction::New(info.Env(), start.on_changed, "seamscope hub", 0, 1);
  changed_.Unref(info.Env());  // listening alone keeps no process alive
  hubs_->insert(this);
  Ref();
  napi_add_env_cleanup_hook(info.Env(), on_environment_end, this);
  hub_->on_change([changed = changed_, told = told_] {
    if (told->exchange(true)) return;
    changed.NonBlockingCall([told](Napi::Env env, Napi::Function on_changed) {
      *told = false;
      napi_value receiver = nullptr, result = nullptr;
      if (napi_get_undefined(env, &receiver) == napi_ok)
        napi_call_function(env, receiver, on_changed, 0, nullptr, &result);
    });
  });
}

NativeHub::~NativeHub() {
  stop();
}

void NativeHub::on_environment_end(void* hub) {
  static_cast<NativeHub*>(hub)->stop();
}

void NativeHub::stop() {
  if (!hub_) return;
  napi_remove_env_cleanup_hook(Env(), on_environment_end, this);
  hub_.reset();  // its thread calls nobody any more
  changed_.Abort();
  hubs_->erase(this);
  Unref();
}

Napi::Value NativeHub::socket(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), hub_ ? hub_->path() : "");
}

Napi::Value NativeHub::list(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(),
                           publishers_json_text(hub_ ? hub_->list() : std::vector<frames::PublisherInfo>()));
}

void NativeHub::set_max_rate(const Napi::CallbackInfo& info) {
  if (hub_) hub_->set_max_rate(info[0].As<Napi::Number>());
}

Napi::Value NativeHub::open_source(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!hub_) throw js_error(env, {"The preview of programs is turned off.", "Turn it on, then start the program.", {}});
  auto source = hub_->open_source(info[0].As<Napi::String>());
  if (!source) throw js_error(env, source.error());
  const std::shared_ptr<frames::Publisher> publisher = (*source)->publisher();
  auto session = std::make_shared<Session>(*std::move(source));
  return NativeSource::wrap(env, std::move(session), sources_, [publisher](const Session& session) {
    return publisher_json_text(publisher->info(), session.passes());
  });
}

void NativeHub::close(const Napi::CallbackInfo&) {
  stop();
}

void RegisterHub(Napi::Env env, Napi::Object exports, std::shared_ptr<OpenSources> sources) {
  const auto hubs = std::make_shared<NativeHub::OpenHubs>();
  const auto close_all = [hubs](const Napi::CallbackInfo&) {
    while (!hubs->empty()) (*hubs->begin())->stop();
  };
  const auto process = env.Global().Get("process").As<Napi::Object>();
  process.Get("once").As<Napi::Function>().Call(
      process, {Napi::String::New(env, "exit"), Napi::Function::New(env, close_all, "closeHubs")});
  const auto open_hub = [hubs, sources](const Napi::CallbackInfo& info) -> Napi::Value {
    return NativeHub::open(info, hubs, sources);
  };
  exports.Set("openHub", Napi::Function::New(env, open_hub, "openHub"));
}

}  // namespace seamscope
