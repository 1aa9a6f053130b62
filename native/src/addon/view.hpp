#pragma once
// NativeView of helper/protocol/addon.ts. An open view is never collected, and keeps its source from being collected:
// what shows pictures must not depend on which variables JavaScript happens to hold. Closing the view or the source
// ends that.

#include <napi.h>

#include <memory>

#include "addon/view_sink.hpp"
#include "preview/session.hpp"

namespace seamscope {

class NativeView : public Napi::ObjectWrap<NativeView> {
 public:
  // Arguments of NativeSource.openView. Throws a JavaScript error. `callbacks` lets the source silence the view.
  static Napi::Object open(const Napi::CallbackInfo& info, std::shared_ptr<Session> session,
                           std::weak_ptr<ViewCallbacks>& callbacks);

  // Called by the class only, through JavaScript.
  explicit NativeView(const Napi::CallbackInfo& info);
  ~NativeView() override;

  // What close() does; may be called again.
  void stop();

 private:
  struct Start;

  void update(const Napi::CallbackInfo& info);
  void credit(const Napi::CallbackInfo& info);
  void pause(const Napi::CallbackInfo& info);
  Napi::Value pixel(const Napi::CallbackInfo& info);
  Napi::Value save(const Napi::CallbackInfo& info);
  Napi::Value pixels(const Napi::CallbackInfo& info);
  Napi::Value pin(const Napi::CallbackInfo& info);
  void unpin(const Napi::CallbackInfo& info);
  Napi::Value history(const Napi::CallbackInfo& info);
  void step(const Napi::CallbackInfo& info);
  Napi::Value record(const Napi::CallbackInfo& info);
  Napi::Value record_stop(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  static void on_environment_end(void* view);

  std::shared_ptr<Session> session_;
  std::shared_ptr<ViewCallbacks> callbacks_;
  uint32_t id_ = 0;
  ViewParams params_;
  Napi::ObjectReference source_;
};

}  // namespace seamscope
