#include "addon/view_sink.hpp"

#include <initializer_list>
#include <variant>

#include "addon/view_json.hpp"

namespace seamscope {
namespace {

struct Shot {
  std::string info;
  std::vector<uint8_t> bytes;
};
using Message = std::variant<Shot, Error>;
using Context = std::shared_ptr<ViewCallbacks>;

// By the C interface: the wrapper's calls throw when the environment is being terminated, and nothing up the stack of a
// queue would catch that. An exception of the callback itself stays pending, and Node reports it as uncaught.
void call(Napi::Env env, const Napi::Function& function, std::initializer_list<napi_value> arguments) {
  napi_value receiver = nullptr, result = nullptr;
  if (napi_get_undefined(env, &receiver) != napi_ok) return;
  napi_call_function(env, receiver, function, arguments.size(), arguments.begin(), &result);
}

void deliver(Napi::Env env, Napi::Function on_frame, ViewCallbacks& callbacks, const Message& message) {
  if (const auto* shot = std::get_if<Shot>(&message)) {
    // Copied: an Electron process refuses buffers whose memory it does not own.
    call(
        env, on_frame,
        {Napi::String::New(env, shot->info), Napi::Buffer<uint8_t>::Copy(env, shot->bytes.data(), shot->bytes.size())});
    return;
  }
  const Error& error = std::get<Error>(message);
  const std::string text = error.detail.empty() ? error.message : error.message + " (" + error.detail + ")";
  call(env, callbacks.on_failed.Value(), {Napi::String::New(env, text), Napi::String::New(env, error.next_step)});
}

void call_js(Napi::Env env, Napi::Function on_frame, Context* context, Message* raw) {
  const std::unique_ptr<Message> message(raw);
  // Without an environment the queue is only being emptied.
  if (static_cast<napi_env>(env) == nullptr || (*context)->closed) return;
  try {
    deliver(env, on_frame, **context, *message);
  } catch (const Napi::Error&) {
    // The environment cannot make values any more: nobody is left to take the picture.
  }
}

using Caller = Napi::TypedThreadSafeFunction<Context, Message, call_js>;

class JsViewSink final : public ViewSink {
 public:
  explicit JsViewSink(Caller caller) : caller_(caller) {}
  ~JsViewSink() override { caller_.Release(); }

  void on_picture(const FrameInfo& info, std::vector<uint8_t> bytes) override {
    send(Shot{to_json_text(info), std::move(bytes)});
  }
  void on_failed(const Error& error) override { send(error); }

 private:
  void send(Message message) {
    auto owned = std::make_unique<Message>(std::move(message));
    // Refused only while the environment shuts down; then nobody is left to tell.
    if (caller_.NonBlockingCall(owned.get()) == napi_ok) static_cast<void>(owned.release());
  }

  Caller caller_;
};

}  // namespace

std::shared_ptr<ViewSink> make_view_sink(Napi::Env env, Napi::Function on_frame, Napi::Function on_failed,
                                         std::shared_ptr<ViewCallbacks>& callbacks) {
  callbacks = std::make_shared<ViewCallbacks>();
  callbacks->on_failed = Napi::Persistent(on_failed);
  auto* context = new Context(callbacks);
  const auto finalize = [](Napi::Env, void*, Context* owned) { delete owned; };
  // The queue needs no bound of its own: a picture is made only for a credit.
  return std::make_shared<JsViewSink>(
      Caller::New(env, on_frame, "seamscope view", 0, 1, context, finalize, static_cast<void*>(nullptr)));
}

}  // namespace seamscope
