#pragma once
// Publishers' messages: bytes in, checked structures out. Looks at nothing but the bytes it is given.

#include <cstddef>
#include <span>
#include <string>
#include <variant>

#include "frames/wire.hpp"

namespace seamscope::frames {

// Why something was not taken: one of SEAMSCOPE_REFUSED_* and a sentence.
struct Refusal {
  uint32_t code = 0;
  std::string reason;
};

struct OutputGone {
  uint32_t output;
};
struct Doorbell {
  uint32_t output, generation;
};

using Message = std::variant<Refusal, seamscope_hello, seamscope_output_message, OutputGone, seamscope_ring, Doorbell,
                             seamscope_status>;

// Checks type, version, size, the number of fds, output indices and that texts end. Sizes and strides inside are not
// looked at: they are refused with an answer of their own (see check_ring and check_desc).
Message parse_message(std::span<const std::byte> bytes, size_t fds);

// A text field as UTF-8 for people: control characters become '?', invalid UTF-8 too.
std::string clean_text(const char* text, size_t capacity);

// A text into a field of the wire, cut at a character's boundary.
void write_text(char* to, size_t capacity, const std::string& text);

}  // namespace seamscope::frames
