#include "addon/probe.hpp"

#include <exception>

#include "addon/errors.hpp"
#include "devices/nvml_inventory.hpp"
#include "devices/snapshot.hpp"
#include "devices/snapshot_json.hpp"

namespace seamscope {
namespace {

// One for the process: NVML itself counts its users process-wide.
NvmlMonitor& monitor() {
  static NvmlMonitor instance;
  return instance;
}

class NvmlWorker : public Napi::AsyncWorker {
 public:
  explicit NvmlWorker(Napi::Env env) : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)) {}
  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override {
    const auto environment = read_environment(EnvironmentSource::process());
    text_ = to_json_text(monitor().read(environment.kernel_driver_version).facts);
  }
  void OnOK() override { deferred_.Resolve(Napi::String::New(Env(), text_)); }
  void OnError(const Napi::Error& error) override { deferred_.Reject(error.Value()); }

 private:
  Napi::Promise::Deferred deferred_;
  std::string text_;
};

Napi::Value js_probe(const Napi::CallbackInfo& info) {
  try {
    return Napi::String::New(info.Env(), to_json_text(take_snapshot(EnvironmentSource::process())));
  } catch (const std::exception& failure) {
    throw js_error(info.Env(), {"The device probe failed inside the native addon.",
                                "Report it with the output of \"Seamscope: Copy Report\".", failure.what()});
  }
}

Napi::Value js_nvml(const Napi::CallbackInfo& info) {
  auto* worker = new NvmlWorker(info.Env());  // deletes itself when done
  auto promise = worker->promise();
  worker->Queue();
  return promise;
}

void js_nvml_close(const Napi::CallbackInfo&) {
  monitor().close();
}

}  // namespace

void RegisterProbe(Napi::Env env, Napi::Object exports) {
  exports.Set("probe", Napi::Function::New(env, js_probe, "probe"));
  exports.Set("nvml", Napi::Function::New(env, js_nvml, "nvml"));
  exports.Set("nvmlClose", Napi::Function::New(env, js_nvml_close, "nvmlClose"));
}

}  // namespace seamscope
