#pragma once
// std::bit_cast, which the library of GCC 10 does not have yet.

#include <cstring>
#include <type_traits>

namespace seamscope {

template <typename To, typename From>
requires(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>) inline To
    bit_cast(const From& from) {
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace seamscope
