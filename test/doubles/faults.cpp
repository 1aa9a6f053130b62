#include "faults.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

namespace doubles {
namespace {

struct Faults {
  long fail_call = 0, at = 0;
  int error = 2;
  std::string function, hang;
};

Faults read() {
  Faults faults;
  const char* path = std::getenv("SEAMSCOPE_DOUBLES");
  if (!path) return faults;
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("faults")) return faults;
  const auto& wanted = json["faults"];
  faults.fail_call = wanted.value("failCall", 0L);
  faults.at = wanted.value("at", 0L);
  faults.error = wanted.value("error", 2);
  faults.function = wanted.value("function", "");
  faults.hang = wanted.value("hang", "");
  return faults;
}

}  // namespace

namespace {

// One line a call, for tests that go through all of them.
void trace(const char* function) {
  const char* path = std::getenv("SEAMSCOPE_DOUBLES_TRACE");
  if (path) std::ofstream(path, std::ios::app) << function << '\n';
}

// As a thread is kept out of a driver whose queue another thread keeps full.
void wait_behind_the_program() {
  char name[16] = "";
  if (!std::getenv("SEAMSCOPE_DOUBLES_BUSY") || pthread_getname_np(pthread_self(), name, sizeof name) != 0) return;
  if (std::strcmp(name, "seamscope") == 0) sleep(60);
}

}  // namespace

int fault(const char* function) {
  trace(function);
  wait_behind_the_program();
  constexpr int kNotSupported = 801;
  const char* without = std::getenv("SEAMSCOPE_DOUBLES_WITHOUT");
  if (without && std::strcmp(without, function) == 0) return kNotSupported;
  static const Faults faults = read();
  static std::map<std::string, long> calls;
  static long all = 0;
  static std::mutex mutex;
  std::unique_lock lock(mutex);
  ++all;
  const long own = ++calls[function];
  if (faults.hang == function) {
    lock.unlock();
    for (;;) pause();
  }
  if (faults.fail_call && all == faults.fail_call) return faults.error;
  if (faults.function == function && (faults.at == 0 || faults.at == own)) return faults.error;
  return 0;
}

}  // namespace doubles
