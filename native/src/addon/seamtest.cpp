#include "addon/seamtest.hpp"

#include <exception>

#include "addon/errors.hpp"
#include "seamtest/job.hpp"

namespace seamscope {
namespace {

// Blocks the JavaScript thread on purpose: the process has nothing else to do, and its death signal belongs to the
// thread that started it.
Napi::Value js_seamtest(const Napi::CallbackInfo& info) {
  const std::string job = info[0].As<Napi::String>();
  const int event_fd = info[1].As<Napi::Number>();
  try {
    return Napi::Number::New(info.Env(), seamtest::run_seam_process(job, event_fd));
  } catch (const std::exception& failure) {
    throw js_error(info.Env(), {"The seam test failed inside the native addon.",
                                "Report it with the output of \"Seamscope: Copy Report\".", failure.what()});
  }
}

}  // namespace

void RegisterSeamTest(Napi::Env env, Napi::Object exports) {
  exports.Set("seamtest", Napi::Function::New(env, js_seamtest, "seamtest"));
}

}  // namespace seamscope
