#pragma once
// The words of helper/protocol/frames.ts for each enumeration, in the order of its values.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace seamscope::words {

inline constexpr std::array<std::string_view, 15> kDtype{"bool", "u8",  "i8",         "u16",     "i16",
                                                         "u32",  "i32", "i64",        "f16",     "bf16",
                                                         "f32",  "f64", "r11g11b10f", "rgb10a2", "d24s8"};
inline constexpr std::array<std::string_view, 7> kOutputKind{"color",  "hdr",    "depth", "id",
                                                             "normal", "motion", "tensor"};
inline constexpr std::array<std::string_view, 3> kColorSpace{"srgb", "linear", "data"};
inline constexpr std::array<std::string_view, 3> kToneMap{"none", "reinhard", "aces"};
inline constexpr std::array<std::string_view, 10> kFalseColor{"none",   "gray", "turbo",  "viridis", "ids",
                                                              "labels", "bool", "normal", "motion",  "diverging"};
inline constexpr std::array<std::string_view, 3> kCompareMode{"off", "difference", "swipe"};
inline constexpr std::array<std::string_view, 3> kEncoding{"jpeg", "rgba", "png"};

template <size_t N, typename Enum>
std::string_view word(const std::array<std::string_view, N>& words, Enum value) {
  return words[static_cast<size_t>(value)];
}

template <typename Enum, size_t N>
std::optional<Enum> value_of(const std::array<std::string_view, N>& words, std::string_view word) {
  for (size_t i = 0; i < N; ++i)
    if (words[i] == word) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace seamscope::words
