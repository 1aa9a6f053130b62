#pragma once
// Sixteen UUID bytes: the only thing that identifies a device across CUDA, Vulkan and NVML.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seamscope {

struct Uuid {
  std::array<uint8_t, 16> bytes{};

  friend bool operator==(const Uuid& a, const Uuid& b) { return a.bytes == b.bytes; }
  friend bool operator!=(const Uuid& a, const Uuid& b) { return !(a == b); }
};

// Copies 16 bytes of an API's own UUID type.
Uuid uuid_from_bytes(const void* bytes);

// Accepts "8-4-4-4-12" hex digits with an optional "GPU-" or "MIG-" prefix. NVML's form before R470,
// "MIG-GPU-.../gi/ci", has no UUID of its own and gives nothing.
std::optional<Uuid> parse_uuid(std::string_view text);

// Lower-case hex with dashes, without prefix.
std::string uuid_text(const Uuid& uuid);

}  // namespace seamscope
