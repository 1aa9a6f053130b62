#pragma once
// A shared library opened at run time: several names are tried in order and every refusal is kept in the linker's own
// words.

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace seamscope {

struct LibraryAttempt {
  std::string name;
  std::string error;  // dlerror(); empty when this name could be opened
};

class DynamicLibrary {
 public:
  DynamicLibrary() = default;
  DynamicLibrary(DynamicLibrary&& other) noexcept { swap(other); }
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept {
    swap(other);
    return *this;
  }
  DynamicLibrary(const DynamicLibrary&) = delete;
  DynamicLibrary& operator=(const DynamicLibrary&) = delete;
  ~DynamicLibrary();

  // Opens the first candidate that loads. The error's detail holds one line an attempt; it is `damaged` when a file was
  // there. A file that is cut off is never mapped: that would end in SIGBUS.
  static Result<DynamicLibrary> open(const std::vector<std::string>& candidates);

  // The address of a symbol, or nullptr.
  void* find(const char* symbol) const;

  template <typename Function>
  bool load(const char* symbol, Function& function) const {
    function = reinterpret_cast<Function>(find(symbol));
    return function != nullptr;
  }

  // The file that the dynamic linker really mapped, with symbolic links resolved; empty when it is not known.
  std::string path() const;
  // What follows ".so." in the resolved file name, for example "580.159.04"; may be empty.
  std::string version() const;

  // Never unloads: drivers keep threads and exit handlers of their own.
  void keep_loaded() { keep_ = true; }

  const std::vector<LibraryAttempt>& attempts() const { return attempts_; }
  // Why files that come first in the search were not taken, one line each; empty when the first one was.
  std::string passed_over() const;

 private:
  void swap(DynamicLibrary& other) {
    std::swap(handle_, other.handle_);
    std::swap(keep_, other.keep_);
    attempts_.swap(other.attempts_);
  }

  void* handle_ = nullptr;
  bool keep_ = false;
  std::vector<LibraryAttempt> attempts_;
};

}  // namespace seamscope
