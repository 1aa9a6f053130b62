#pragma once
// Carries what a view produces from the session's threads to its JavaScript callbacks.

#include <napi.h>

#include <memory>

#include "preview/frame_info.hpp"

namespace seamscope {

class NativeView;

// Lives on the JavaScript thread. Once `closed`, pictures that are still under way are thrown away.
struct ViewCallbacks {
  Napi::FunctionReference on_failed;
  NativeView* view = nullptr;  // while it is open
  bool closed = false;
};

// `on_frame` and `on_failed` as in helper/protocol/addon.ts.
std::shared_ptr<ViewSink> make_view_sink(Napi::Env env, Napi::Function on_frame, Napi::Function on_failed,
                                         std::shared_ptr<ViewCallbacks>& callbacks);

}  // namespace seamscope
