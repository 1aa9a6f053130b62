#pragma once
// Records the calls of stand-in API functions, and makes one of them fail on wish.

#include <string>
#include <vector>

inline std::vector<std::string> calls;
inline std::string failing;  // the name of the function that fails, or empty

// Returns whether the call succeeds.
inline bool called(const std::string& name) {
  calls.push_back(name);
  return name != failing;
}

// The recorded names in one line, and a fresh start.
inline std::string taken() {
  std::string line;
  for (const auto& name : calls) line += (line.empty() ? "" : " ") + name;
  calls.clear();
  return line;
}

// A handle that is not null and that nobody may follow.
template <typename Handle>
Handle fake() {
  return reinterpret_cast<Handle>(0x10);
}
