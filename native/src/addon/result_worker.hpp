#pragma once
// Runs a function that returns a Result away from the JavaScript thread and settles a promise with it.

#include <napi.h>

#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "addon/errors.hpp"
#include "base/result.hpp"

namespace seamscope {

template <typename T>
class ResultWorker : public Napi::AsyncWorker {
 public:
  // `work` must not touch JavaScript; `convert` runs on its thread.
  using Work = std::function<Result<T>()>;
  using Convert = std::function<Napi::Value(Napi::Env, T)>;

  static Napi::Promise start(Napi::Env env, Work work, Convert convert) {
    auto* worker = new ResultWorker(env, std::move(work), std::move(convert));  // deletes itself when done
    const Napi::Promise promise = worker->deferred_.Promise();
    worker->Queue();
    return promise;
  }

  void Execute() override {
    try {
      result_.emplace(work_());
    } catch (const std::exception& failure) {
      result_.emplace(Error{"The operation failed inside the native addon.",
                            "Report it with the output of \"Seamscope: Copy Report\".", failure.what()});
    }
    work_ = nullptr;  // what it holds is let go here, not on the JavaScript thread
  }

  void OnOK() override {
    if (!*result_) return deferred_.Reject(js_error(Env(), result_->error()).Value());
    try {
      deferred_.Resolve(convert_(Env(), **std::move(result_)));
    } catch (const Napi::Error& error) {
      deferred_.Reject(error.Value());
    }
  }

 private:
  ResultWorker(Napi::Env env, Work work, Convert convert)
      : Napi::AsyncWorker(env),
        deferred_(Napi::Promise::Deferred::New(env)),
        work_(std::move(work)),
        convert_(std::move(convert)) {}

  Napi::Promise::Deferred deferred_;
  Work work_;
  Convert convert_;
  std::optional<Result<T>> result_;
};

}  // namespace seamscope
