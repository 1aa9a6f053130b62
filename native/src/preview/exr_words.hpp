#pragma once
// The library's own words for what went wrong, by way of its callback, which has no argument of ours.

#include <openexr.h>

#include <string>

namespace seamscope {

class ExrWords {
 public:
  ExrWords() { last().clear(); }
  static void take(exr_const_context_t, exr_result_t, const char* message) {
    if (last().empty() && message) last() = message;
  }
  std::string text() const { return last().empty() ? "no reason given" : last(); }

 private:
  static std::string& last() {
    thread_local std::string text;
    return text;
  }
};

}  // namespace seamscope
