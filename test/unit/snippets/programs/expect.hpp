#pragma once
// The smallest test harness: a failed expectation names itself and ends the program.

#include <cstdio>
#include <cstdlib>

#define EXPECT(condition)                                                           \
  do {                                                                              \
    if (!(condition)) {                                                             \
      std::fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (false)

template <typename Exception, typename Body>
bool throws(Body&& body) {
  try {
    body();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

// Exit code of a program that cannot run here; the last line says why.
inline int skipped(const char* reason) {
  std::printf("skipped: %s\n", reason);
  return 77;
}
