#include "frames/message.hpp"

#include <cstring>

namespace seamscope::frames {
namespace {

Refusal malformed(const std::string& what) {
  return {SEAMSCOPE_REFUSED_MESSAGE, "The publisher sent " + what + "."};
}

template <typename T>
T read(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

bool ends(const char* text, size_t capacity) {
  return std::memchr(text, 0, capacity) != nullptr;
}

// The size that a type has and the publisher sends; 0 for types that only the hub sends and unknown ones.
size_t size_of(uint16_t type) {
  switch (type) {
    case SEAMSCOPE_HELLO:
      return sizeof(seamscope_hello);
    case SEAMSCOPE_OUTPUT:
      return sizeof(seamscope_output_message);
    case SEAMSCOPE_OUTPUT_GONE:
    case SEAMSCOPE_DOORBELL:
      return sizeof(seamscope_ring_answer);
    case SEAMSCOPE_RING:
      return sizeof(seamscope_ring);
    case SEAMSCOPE_STATUS:
      return sizeof(seamscope_status);
    default:
      return 0;
  }
}

Message hello(std::span<const std::byte> bytes) {
  const auto message = read<seamscope_hello>(bytes);
  if (!ends(message.name, sizeof message.name) || !ends(message.visible_devices, sizeof message.visible_devices))
    return malformed("a greeting whose texts do not end");
  return message;
}

Message output(std::span<const std::byte> bytes) {
  const auto message = read<seamscope_output_message>(bytes);
  if (message.output >= SEAMSCOPE_MAX_OUTPUTS) return malformed("output " + std::to_string(message.output));
  if (!ends(message.name, sizeof message.name)) return malformed("an output whose name does not end");
  return message;
}

Message ring(std::span<const std::byte> bytes) {
  const auto message = read<seamscope_ring>(bytes);
  if (message.output >= SEAMSCOPE_MAX_OUTPUTS) return malformed("a ring of output " + std::to_string(message.output));
  if (message.memory > SEAMSCOPE_MEMORY_VULKAN) return malformed("memory of an unknown kind");
  if (message.slot_count == 0 || message.slot_count > SEAMSCOPE_MAX_SLOTS)
    return malformed("a ring of " + std::to_string(message.slot_count) + " slots");
  return message;
}

Message status(std::span<const std::byte> bytes) {
  const auto message = read<seamscope_status>(bytes);
  if (message.output >= SEAMSCOPE_MAX_OUTPUTS && message.output != kAllOutputs)
    return malformed("a status of output " + std::to_string(message.output));
  if (!ends(message.text, sizeof message.text)) return malformed("a status that does not end");
  return message;
}

Message body(uint16_t type, std::span<const std::byte> bytes) {
  if (type == SEAMSCOPE_HELLO) return hello(bytes);
  if (type == SEAMSCOPE_OUTPUT) return output(bytes);
  if (type == SEAMSCOPE_RING) return ring(bytes);
  if (type == SEAMSCOPE_STATUS) return status(bytes);
  const auto message = read<seamscope_ring_answer>(bytes);
  if (message.output >= SEAMSCOPE_MAX_OUTPUTS) return malformed("output " + std::to_string(message.output));
  if (type == SEAMSCOPE_OUTPUT_GONE) return OutputGone{message.output};
  return Doorbell{message.output, message.generation};
}

size_t fds_of(const Message& message) {
  if (std::holds_alternative<seamscope_hello>(message)) return 1;
  const auto* ring = std::get_if<seamscope_ring>(&message);
  if (!ring) return 0;
  return ring->memory == SEAMSCOPE_MEMORY_HOST ? 1 : ring->slot_count;
}

// Bytes of the UTF-8 character that begins here; 0 when none does.
size_t character(const unsigned char* at, size_t left) {
  const size_t length = at[0] < 0x80                    ? 1
                        : at[0] >= 0xC2 && at[0] < 0xE0 ? 2
                        : (at[0] & 0xF0) == 0xE0        ? 3
                        : at[0] >= 0xF0 && at[0] < 0xF5 ? 4
                                                        : 0;
  if (length == 0 || length > left) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((at[i] & 0xC0) != 0x80) return 0;
  return length;
}

}  // namespace

Message parse_message(std::span<const std::byte> bytes, size_t fds) {
  if (bytes.size() > SEAMSCOPE_MAX_MESSAGE) return malformed("a message that is too long");
  if (bytes.size() < sizeof(seamscope_header))
    return malformed("a message of " + std::to_string(bytes.size()) + " bytes");
  const auto header = read<seamscope_header>(bytes);
  if (header.magic != SEAMSCOPE_WIRE_MAGIC) return malformed("what is no message of a publisher");
  if (header.version != SEAMSCOPE_WIRE_VERSION) {
    return Refusal{SEAMSCOPE_REFUSED_VERSION, "The publisher speaks version " + std::to_string(header.version) +
                                                  ", this Seamscope speaks version " +
                                                  std::to_string(SEAMSCOPE_WIRE_VERSION) +
                                                  ": add the publisher of this Seamscope to the project again."};
  }
  const size_t size = size_of(header.type);
  if (size == 0) return malformed("a message of type " + std::to_string(header.type));
  if (header.size != bytes.size() || size != bytes.size())
    return malformed("a message of type " + std::to_string(header.type) + " with " + std::to_string(bytes.size()) +
                     " bytes");
  Message message = body(header.type, bytes);
  if (!std::holds_alternative<Refusal>(message) && fds_of(message) != fds)
    return malformed("a message of type " + std::to_string(header.type) + " with " + std::to_string(fds) +
                     " descriptors");
  return message;
}

std::string clean_text(const char* text, size_t capacity) {
  const auto* at = reinterpret_cast<const unsigned char*>(text);
  std::string result;
  for (size_t i = 0; i < capacity && at[i];) {
    const size_t length = character(at + i, capacity - i);
    if (length == 0 || at[i] < 0x20 || at[i] == 0x7F) {
      result += '?';
      ++i;
    } else {
      result.append(text + i, length);
      i += length;
    }
  }
  return result;
}

void write_text(char* to, size_t capacity, const std::string& text) {
  size_t size = text.size() < capacity ? text.size() : capacity - 1;
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  std::memset(to, 0, capacity);
  std::memcpy(to, text.data(), size);
}

}  // namespace seamscope::frames
