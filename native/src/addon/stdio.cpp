#include "addon/stdio.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "addon/errors.hpp"
#include "base/unique_fd.hpp"

namespace seamscope {
namespace {

Result<int> move_stdout() {
  UniqueFd real(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!real || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return Error{std::string("Standard output cannot be set aside: ") + std::strerror(errno) + ".",
                 "Start the engine with stdin, stdout and stderr open.", ""};
  }
  return real.release();
}

Napi::Value take_stdout(const Napi::CallbackInfo& info) {
  const Result<int> fd = move_stdout();
  if (!fd) throw js_error(info.Env(), fd.error());
  return Napi::Number::New(info.Env(), *fd);
}

}  // namespace

void RegisterStdio(Napi::Env env, Napi::Object exports) {
  exports.Set("takeStdout", Napi::Function::New(env, take_stdout, "takeStdout"));
}

}  // namespace seamscope
