#pragma once
// NativeHub of helper/protocol/addon.ts. Not collected while it listens.

#include <napi.h>

#include <atomic>
#include <memory>
#include <set>

#include "addon/source.hpp"
#include "frames/hub.hpp"

namespace seamscope {

class NativeHub : public Napi::ObjectWrap<NativeHub> {
 public:
  // The hubs that listen in one environment. Lives on its thread.
  using OpenHubs = std::set<NativeHub*>;

  // Arguments of NativeAddon.openHub. Throws a JavaScript error.
  static Napi::Object open(const Napi::CallbackInfo& info, std::shared_ptr<OpenHubs> hubs,
                           std::shared_ptr<OpenSources> sources);

  // Called by the class only, through JavaScript.
  explicit NativeHub(const Napi::CallbackInfo& info);
  ~NativeHub() override;

  // What close() does; may be called again.
  void stop();

 private:
  struct Start;

  Napi::Value socket(const Napi::CallbackInfo& info);
  Napi::Value list(const Napi::CallbackInfo& info);
  void set_max_rate(const Napi::CallbackInfo& info);
  Napi::Value open_source(const Napi::CallbackInfo& info);
  void close(const Napi::CallbackInfo& info);
  static void on_environment_end(void* hub);

  std::shared_ptr<frames::Hub> hub_;
  std::shared_ptr<OpenHubs> hubs_;
  std::shared_ptr<OpenSources> sources_;
  Napi::ThreadSafeFunction changed_;
  // A change that JavaScript has not been told of yet needs no second call.
  std::shared_ptr<std::atomic<bool>> told_ = std::make_shared<std::atomic<bool>>(false);
};

void RegisterHub(Napi::Env env, Napi::Object exports, std::shared_ptr<OpenSources> sources);

}  // namespace seamscope
