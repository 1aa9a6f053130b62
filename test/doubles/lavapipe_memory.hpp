#pragma once
// Memory in the form in which lavapipe exports and imports it: a memfd that starts with a page of the driver's own.

#include <cstddef>
#include <cstdint>

namespace doubles {

struct Mapping {
  void* base = nullptr;  // of the file's mapping
  size_t length = 0;
  char* data = nullptr;  // of the frame's bytes
  size_t bytes = 0;
};

// Maps what lavapipe exported. False when `fd` is something else; the fd stays open either way.
bool map_lavapipe_memory(int fd, Mapping* mapping);

// Where the bytes start in a file of create_lavapipe_memory().
constexpr size_t kLavapipeOffset = 4096;
// A memfd that lavapipe accepts, or -1 when there is no lavapipe here.
int create_lavapipe_memory(size_t bytes);
// Asks lavapipe for its page, once; the functions above need it only for new memory.
void learn_lavapipe_header();

}  // namespace doubles
