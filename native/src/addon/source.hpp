#pragma once
// NativeSource of helper/protocol/addon.ts.

#include <napi.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "addon/view_sink.hpp"
#include "preview/session.hpp"

namespace seamscope {

class NativeSource;

// The sources that are open in one environment. Lives on its thread.
using OpenSources = std::set<NativeSource*>;

class NativeSource : public Napi::ObjectWrap<NativeSource> {
 public:
  // JSON of SourceDescription. Runs on the JavaScript thread.
  using Describe = std::function<std::string(const Session&)>;

  static Napi::Object wrap(Napi::Env env, std::shared_ptr<Session> session, std::shared_ptr<OpenSources> open,
                           Describe describe);

  // Called by the class only, through JavaScript.
  explicit NativeSource(const Napi::CallbackInfo& info);
  ~NativeSource() override;

  // What close() does, waiting for the session's threads; may be called again.
  void close_now();

 private:
  struct Start;

  Napi::Value describe(const Napi::CallbackInfo& info);
  Napi::Value gpu_memory_bytes(const Napi::CallbackInfo& info);
  Napi::Value open_view(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  // Closes the views and gives the session away; nullptr when that has happened before.
  std::shared_ptr<Session> release();
  std::shared_ptr<Session> checked_session(Napi::Env env) const;
  static void on_environment_end(void* source);

  std::shared_ptr<Session> session_;
  std::shared_ptr<OpenSources> open_;
  Describe describe_;
  std::vector<std::weak_ptr<ViewCallbacks>> views_;
};

}  // namespace seamscope
