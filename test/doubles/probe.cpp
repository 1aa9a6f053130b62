// Prints one device snapshot as JSON: the process that the tests start with an environment of their own.

#include <cstdio>

#include "devices/snapshot.hpp"
#include "devices/snapshot_json.hpp"

int main() {
  const auto snapshot = seamscope::take_snapshot(seamscope::EnvironmentSource::process());
  std::puts(seamscope::to_json_text(snapshot).c_str());
}
