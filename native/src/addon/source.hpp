#pragma once
// NativeSource of helper/protocol/addon.ts.

#include <napi.h>

#include <memory>
#include <vector>

#include "addon/view_sink.hpp"
#include "preview/session.hpp"

namespace seamscope {

class NativeSource : public Napi::ObjectWrap<NativeSource> {
 public:
  static Napi::Object wrap(Napi::Env env, std::shared_ptr<Session> session);

  // Called by the class only, through JavaScript.
  explicit NativeSource(const Napi::CallbackInfo& info);
  ~NativeSource() override;

 private:
  Napi::Value describe(const Napi::CallbackInfo& info);
  Napi::Value gpu_memory_bytes(const Napi::CallbackInfo& info);
  Napi::Value open_view(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  // Closes the views and gives the session away; nullptr when that has happened before.
  std::shared_ptr<Session> release();
  std::shared_ptr<Session> checked_session(Napi::Env env) const;
  static void on_environment_end(void* source);

  std::shared_ptr<Session> session_;
  std::vector<std::weak_ptr<ViewCallbacks>> views_;
};

}  // namespace seamscope
