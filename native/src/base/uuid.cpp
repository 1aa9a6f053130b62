#include "base/uuid.hpp"

#include <cstring>

namespace seamscope {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool dash_follows(size_t byte) {
  return byte == 3 || byte == 5 || byte == 7 || byte == 9;
}

}  // namespace

Uuid uuid_from_bytes(const void* bytes) {
  Uuid uuid;
  std::memcpy(uuid.bytes.data(), bytes, uuid.bytes.size());
  return uuid;
}

std::optional<Uuid> parse_uuid(std::string_view text) {
  if (text.substr(0, 4) == "GPU-" || text.substr(0, 4) == "MIG-") text.remove_prefix(4);
  if (text.size() != 36) return std::nullopt;
  Uuid uuid;
  size_t at = 0;
  for (size_t i = 0; i < uuid.bytes.size(); ++i) {
    const int high = hex_value(text[at]), low = hex_value(text[at + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    uuid.bytes[i] = static_cast<uint8_t>(high * 16 + low);
    at += 2;
    if (dash_follows(i) && text[at++] != '-') return std::nullopt;
  }
  return uuid;
}

std::string uuid_text(const Uuid& uuid) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < uuid.bytes.size(); ++i) {
    text += digits[uuid.bytes[i] >> 4];
    text += digits[uuid.bytes[i] & 15];
    if (dash_follows(i)) text += '-';
  }
  return text;
}

}  // namespace seamscope
