#pragma once

#include <cstring>
#include <type_traits>

namespace seamscope {

/// std::bit_cast, which the C++ library of GCC 10 does not have yet. Compiles to a move.
template <typename To, typename From>
To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

}  // namespace seamscope
