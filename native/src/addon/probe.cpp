#include "addon/probe.hpp"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <exception>

#include "addon/errors.hpp"
#include "devices/nvml_monitor.hpp"
#include "devices/readings_json.hpp"
#include "devices/snapshot.hpp"
#include "devices/snapshot_json.hpp"

namespace seamscope {
namespace {

// One for the process: NVML itself counts its users process-wide.
NvmlMonitor& monitor() {
  static NvmlMonitor instance;
  return instance;
}

// Runs one reading off the JS thread; its answer is JSON text.
class NvmlWorker : public Napi::AsyncWorker {
 public:
  using Reading = std::string (*)(const std::string& kernel_version);
  NvmlWorker(Napi::Env env, Reading reading)
      : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)), reading_(reading) {}
  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override { text_ = reading_(kernel_driver_version_here()); }
  void OnOK() override { deferred_.Resolve(Napi::String::New(Env(), text_)); }
  void OnError(const Napi::Error& error) override { deferred_.Reject(error.Value()); }

 private:
  Napi::Promise::Deferred deferred_;
  Reading reading_;
  std::string text_;
};

std::string read_all(const std::string& kernel_version) {
  return to_json_text(monitor().read(kernel_version).facts);
}

std::string poll(const std::string& kernel_version) {
  return to_json_text(monitor().poll(kernel_version));
}

template <NvmlWorker::Reading reading>
Napi::Value js_reading(const Napi::CallbackInfo& info) {
  auto* worker = new NvmlWorker(info.Env(), reading);  // deletes itself when done
  auto promise = worker->promise();
  worker->Queue();
  return promise;
}

// SIGUSR2: the parent wants to know where this process hangs. Only what a signal handler may do.
void name_call(int) {
  const char* call = running_driver_call();
  if (!call) return;
  for (const char* part : {"in the driver call ", call, "\n"})
    if (write(STDERR_FILENO, part, strlen(part)) < 0) return;
}

Napi::Value js_probe(const Napi::CallbackInfo& info) {
  struct sigaction action {};
  action.sa_handler = name_call;
  sigaction(SIGUSR2, &action, nullptr);
  try {
    const bool with_cuda = !info[0].IsBoolean() || info[0].As<Napi::Boolean>();
    return Napi::String::New(info.Env(), to_json_text(take_snapshot(EnvironmentSource::process(), with_cuda)));
  } catch (const std::exception& failure) {
    throw js_error(info.Env(), {"The device probe failed inside the native addon.",
                                "Report it with the output of \"Seamscope: Copy Report\".", failure.what()});
  }
}

Napi::Value js_driver_call(const Napi::CallbackInfo& info) {
  const char* call = running_driver_call();
  return Napi::String::New(info.Env(), call ? call : "");
}

void js_nvml_close(const Napi::CallbackInfo&) {
  monitor().close();
}

}  // namespace

void RegisterProbe(Napi::Env env, Napi::Object exports) {
  exports.Set("probe", Napi::Function::New(env, js_probe, "probe"));
  exports.Set("nvml", Napi::Function::New(env, js_reading<read_all>, "nvml"));
  exports.Set("nvmlPoll", Napi::Function::New(env, js_reading<poll>, "nvmlPoll"));
  exports.Set("driverCall", Napi::Function::New(env, js_driver_call, "driverCall"));
  exports.Set("nvmlClose", Napi::Function::New(env, js_nvml_close, "nvmlClose"));
}

}  // namespace seamscope
