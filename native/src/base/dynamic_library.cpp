#include "base/dynamic_library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include <memory>

#include "base/elf_file.hpp"
#include "base/library_search.hpp"

namespace seamscope {
namespace {

std::string last_linker_error() {
  const char* text = dlerror();
  return text ? text : "unknown linker error";
}

bool is_foreign(const std::string& fault) {
  return fault.find("is built for ") != std::string::npos || fault.find("is a 32-bit library") != std::string::npos;
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

// There is no file of this name: nothing was passed over. What a file needs and lacks is named by another name.
bool is_absent(const LibraryAttempt& attempt) {
  return attempt.error.rfind(attempt.name, 0) == 0 && attempt.error.find("No such file") != std::string::npos;
}

// The first file of this name that is of this architecture decides; one of another is told when there is no better.
std::string fault_before_loading(const std::string& name) {
  std::string foreign;
  for (const auto& file : library_files(name)) {
    const std::string fault = elf_fault(file);
    if (!is_foreign(fault)) return fault.empty() ? "" : file + " " + fault;
    if (foreign.empty()) foreign = file + " " + fault;
  }
  return foreign;
}

// "" when there is no such file: then nothing is damaged.
std::string fault_after_loading(const std::string& name, const std::string& words) {
  const auto files = library_files(name);
  if (is_absent({name, words}) || files.empty()) return "";
  // The linker begins with the file that it is about, which may be one that this library needs.
  return words.find(files.front()) == 0 ? words : files.front() + " cannot be loaded: " + words;
}

}  // namespace

Result<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string>& candidates) {
  DynamicLibrary library;
  std::string damage;
  for (const auto& name : candidates) {
    const std::string fault = fault_before_loading(name);
    // The linker passes over files of another architecture; any other fault ends its search, or this process.
    const bool may_load = fault.empty() || is_foreign(fault);
    if (may_load) library.handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle_) {
      library.attempts_.push_back({name, ""});
      return Result<DynamicLibrary>(std::move(library));
    }
    const std::string words = may_load ? last_linker_error() : fault;
    library.attempts_.push_back({name, words});
    if (damage.empty()) damage = !fault.empty() ? fault : fault_after_loading(name, words);
  }
  const std::string first = candidates.empty() ? "(no name)" : candidates.front();
  if (!damage.empty())
    return Error{damage + ".", "Install the package that provides " + first + " again.", joined(library.attempts_),
                 true};
  return Error{first + " cannot be opened.", "Install the package that provides " + first + ".",
               joined(library.attempts_)};
}

DynamicLibrary::~DynamicLibrary() {
  if (handle_ && !keep_) dlclose(handle_);
}

void* DynamicLibrary::find(const char* symbol) const {
  return handle_ ? dlsym(handle_, symbol) : nullptr;
}

std::string DynamicLibrary::passed_over() const {
  std::string text;
  for (const auto& attempt : attempts_)
    if (!attempt.error.empty() && !is_absent(attempt)) text += (text.empty() ? "" : "\n") + attempt.error;
  return text;
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
