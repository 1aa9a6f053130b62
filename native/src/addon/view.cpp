#include "addon/view.hpp"

#include <algorithm>

#include "addon/result_worker.hpp"
#include "addon/view_json.hpp"
#include "preview/save.hpp"

namespace seamscope {

struct NativeView::Start {
  std::shared_ptr<Session> session;
  uint32_t id;
  ViewParams params;
  std::shared_ptr<ViewCallbacks> callbacks;
  Napi::Object source;
};

namespace {

ViewParams checked_params(Napi::Env env, const Napi::Value& text, ViewParams base) {
  auto params = parse_view_params(text.As<Napi::String>(), std::move(base));
  if (!params) throw js_error(env, params.error());
  return *std::move(params);
}

Result<std::string> read_pixel_json(Session& session, uint32_t id, uint32_t x, uint32_t y) {
  auto grab = session.grab(id);
  if (!grab) return grab.error();
  const FrameDesc& desc = grab->desc;
  if (x >= desc.width || y >= desc.height)
    return Error{"Pixel " + std::to_string(x) + ", " + std::to_string(y) + " is outside the frame.",
                 "Point at a pixel of the picture.",
                 {}};
  const Pixel pixel = read_pixel(grab->bytes.data(), desc, x, grab->flip_y ? desc.height - 1 - y : y);
  return to_json_text(pixel, x, y, grab->frame->number());
}

Result<std::string> read_block_json(Session& session, uint32_t id, PixelBlock block) {
  auto grab = session.grab(id);
  if (!grab) return grab.error();
  const FrameDesc& desc = grab->desc;
  if (block.x >= desc.width || block.y >= desc.height)
    return Error{"The rectangle is outside the frame.", "Zoom to a part of the picture.", {}};
  block.width = std::min(block.width, desc.width - block.x);
  block.height = std::min(block.height, desc.height - block.y);
  block.channels = desc.channels;
  block.frame = grab->frame->number();
  for (uint32_t y = block.y; y < block.y + block.height; ++y)
    for (uint32_t x = block.x; x < block.x + block.width; ++x)
      block.pixels.push_back(read_pixel(grab->bytes.data(), desc, x, grab->flip_y ? desc.height - 1 - y : y));
  return to_json_text(block);
}

// A promise of the JSON text of what `ask` gives, or of its error.
template <typename Ask>
Napi::Promise json_promise(Napi::Env env, std::shared_ptr<Session> session, Ask ask) {
  return ResultWorker<std::string>::start(
      env,
      [session = std::move(session), ask = std::move(ask)]() -> Result<std::string> {
        if (!session) return Error{"The view is closed.", "Open the preview again.", {}};
        const auto answer = ask(*session);
        if (!answer) return answer.error();
        return to_json_text(*answer);
      },
      [](Napi::Env env, std::string text) { return Napi::String::New(env, text); });
}

struct Saved {
  uint64_t bytes, frame;
};

Result<Saved> save_grab(Session& session, uint32_t id, const std::string& file) {
  auto grab = session.grab(id);
  if (!grab) return grab.error();
  const auto contents = file_contents(file, grab->bytes, grab->desc);
  if (!contents) return contents.error();
  const auto written = write_file(file, *contents);
  if (!written) return written.error();
  return Saved{*written, grab->frame->number()};
}

}  // namespace

Napi::Object NativeView::open(const Napi::CallbackInfo& info, std::shared_ptr<Session> session,
                              std::weak_ptr<ViewCallbacks>& callbacks) {
  const Napi::Env env = info.Env();
  Start start{std::move(session), info[0].As<Napi::Number>(), checked_params(env, info[1], {}), nullptr,
              info.This().As<Napi::Object>()};
  auto sink = make_view_sink(env, info[2].As<Napi::Function>(), info[3].As<Napi::Function>(), start.callbacks);
  if (auto opened = start.session->open_view(start.id, start.params, std::move(sink)); !opened)
    throw js_error(env, opened.error());
  callbacks = start.callbacks;
  const Napi::Function view = DefineClass(
      env, "NativeView",
      {InstanceMethod<&NativeView::update>("update"), InstanceMethod<&NativeView::credit>("credit"),
       InstanceMethod<&NativeView::pause>("pause"), InstanceMethod<&NativeView::pixel>("pixel"),
       InstanceMethod<&NativeView::save>("save"), InstanceMethod<&NativeView::pixels>("pixels"),
       InstanceMethod<&NativeView::pin>("pin"), InstanceMethod<&NativeView::unpin>("unpin"),
       InstanceMethod<&NativeView::history>("history"), InstanceMethod<&NativeView::step>("step"),
       InstanceMethod<&NativeView::record>("record"), InstanceMethod<&NativeView::record_stop>("recordStop"),
       InstanceMethod<&NativeView::close>("close")});
  return view.New({Napi::External<Start>::New(env, &start)});
}

NativeView::NativeView(const Napi::CallbackInfo& info) : Napi::ObjectWrap<NativeView>(info) {
  if (info.Length() != 1 || !info[0].IsExternal())
    throw Napi::TypeError::New(info.Env(), "A view is opened by openView().");
  Start& start = *info[0].As<Napi::External<Start>>().Data();
  session_ = std::move(start.session);
  callbacks_ = std::move(start.callbacks);
  id_ = start.id;
  params_ = std::move(start.params);
  callbacks_->view = this;
  source_ = Napi::Persistent(start.source);
  Ref();
  // Registered after the sink's own hook, so it runs before: no thread uses the sink when that one is torn down.
  napi_add_env_cleanup_hook(info.Env(), on_environment_end, this);
}

NativeView::~NativeView() {
  stop();
}

void NativeView::on_environment_end(void* view) {
  static_cast<NativeView*>(view)->stop();
}

void NativeView::stop() {
  if (!session_) return;
  napi_remove_env_cleanup_hook(Env(), on_environment_end, this);
  callbacks_->closed = true;
  callbacks_->view = nullptr;
  session_->close_view(id_);
  session_.reset();
  source_.Reset();
  Unref();
}

void NativeView::update(const Napi::CallbackInfo& info) {
  if (!session_) return;
  params_ = checked_params(info.Env(), info[0], params_);
  if (auto done = session_->update_view(id_, params_); !done) throw js_error(info.Env(), done.error());
}

void NativeView::credit(const Napi::CallbackInfo& info) {
  if (session_) session_->credit(id_, info[0].As<Napi::Number>());
}

void NativeView::pause(const Napi::CallbackInfo& info) {
  if (session_) session_->pause(id_, info[0].As<Napi::Boolean>());
}

Napi::Value NativeView::pixel(const Napi::CallbackInfo& info) {
  const uint32_t x = info[0].As<Napi::Number>(), y = info[1].As<Napi::Number>();
  return ResultWorker<std::string>::start(
      info.Env(),
      [session = session_, id = id_, x, y]() -> Result<std::string> {
        if (!session) return Error{"The view is closed.", "Open the preview again.", {}};
        return read_pixel_json(*session, id, x, y);
      },
      [](Napi::Env env, std::string text) { return Napi::String::New(env, text); });
}

Napi::Value NativeView::pixels(const Napi::CallbackInfo& info) {
  PixelBlock block;
  block.x = info[0].As<Napi::Number>();
  block.y = info[1].As<Napi::Number>();
  block.width = info[2].As<Napi::Number>();
  block.height = info[3].As<Napi::Number>();
  return ResultWorker<std::string>::start(
      info.Env(),
      [session = session_, id = id_, block]() -> Result<std::string> {
        if (!session) return Error{"The view is closed.", "Open the preview again.", {}};
        return read_block_json(*session, id, block);
      },
      [](Napi::Env env, std::string text) { return Napi::String::New(env, text); });
}

Napi::Value NativeView::pin(const Napi::CallbackInfo& info) {
  return json_promise(info.Env(), session_, [id = id_](Session& session) { return session.pin(id); });
}

void NativeView::unpin(const Napi::CallbackInfo& info) {
  if (session_) session_->unpin(info[0].As<Napi::Number>());
}

Napi::Value NativeView::history(const Napi::CallbackInfo& info) {
  return json_promise(info.Env(), session_, [id = id_](Session& session) { return session.history(id); });
}

void NativeView::step(const Napi::CallbackInfo&) {
  if (session_) session_->step(id_);
}

Napi::Value NativeView::record(const Napi::CallbackInfo& info) {
  const RecordOptions options{info[0].As<Napi::String>(), info[1].As<Napi::String>(),
                              static_cast<uint64_t>(info[2].As<Napi::Number>().Int64Value())};
  return json_promise(info.Env(), session_,
                      [id = id_, options](Session& session) { return session.record(id, options); });
}

Napi::Value NativeView::record_stop(const Napi::CallbackInfo& info) {
  return json_promise(info.Env(), session_, [id = id_](Session& session) { return session.stop_recording(id); });
}

Napi::Value NativeView::save(const Napi::CallbackInfo& info) {
  return ResultWorker<Saved>::start(
      info.Env(),
      [session = session_, id = id_, file = info[0].As<Napi::String>().Utf8Value()]() -> Result<Saved> {
        if (!session) return Error{"The view is closed.", "Open the preview again.", {}};
        return save_grab(*session, id, file);
      },
      [](Napi::Env env, Saved saved) {
        Napi::Object result = Napi::Object::New(env);
        result.Set("bytes", Napi::Number::New(env, static_cast<double>(saved.bytes)));
        result.Set("frame", Napi::Number::New(env, static_cast<double>(saved.frame)));
        return result;
      });
}

Napi::Value NativeView::close(const Napi::CallbackInfo& info) {
  stop();
  const auto done = Napi::Promise::Deferred::New(info.Env());
  done.Resolve(info.Env().Undefined());
  return done.Promise();
}

}  // namespace seamscope
