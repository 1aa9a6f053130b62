#include "base/dynamic_library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include <memory>

namespace seamscope {
namespace {

std::string last_linker_error() {
  const char* text = dlerror();
  return text ? text : "unknown linker error";
}

std::string joined(const std::vector<LibraryAttempt>& attempts) {
  std::string text;
  for (const auto& attempt : attempts) {
    if (!text.empty()) text += '\n';
    // glibc starts most messages with the file name already.
    const bool named = attempt.error.rfind(attempt.name, 0) == 0;
    text += named ? attempt.error : attempt.name + ": " + attempt.error;
  }
  return text;
}

}  // namespace

Result<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string>& candidates) {
  DynamicLibrary library;
  for (const auto& name : candidates) {
    library.handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    library.attempts_.push_back({name, library.handle_ ? "" : last_linker_error()});
    if (library.handle_) return Result<DynamicLibrary>(std::move(library));
  }
  const std::string first = candidates.empty() ? "(no name)" : candidates.front();
  return Error{first + " cannot be opened.", "Install the package that provides " + first + ".",
               joined(library.attempts_)};
}

DynamicLibrary::~DynamicLibrary() {
  if (handle_ && !keep_) dlclose(handle_);
}

void* DynamicLibrary::find(const char* symbol) const {
  return handle_ ? dlsym(handle_, symbol) : nullptr;
}

std::string DynamicLibrary::path() const {
  link_map* map = nullptr;
  if (!handle_ || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name) return "";
  const std::unique_ptr<char, decltype(&free)> real(realpath(map->l_name, nullptr), &free);
  return real ? real.get() : map->l_name;
}

std::string DynamicLibrary::version() const {
  const std::string file = path();
  const auto mark = file.rfind(".so.");
  return mark == std::string::npos ? "" : file.substr(mark + 4);
}

}  // namespace seamscope
