// Portable float maps: "PF" or "Pf", width, height, scale (negative: little endian), then rows from bottom to top.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "files/image_file.hpp"
#include "preview/texel.hpp"

namespace seamscope::files {
namespace {

// The next word of the header and the one white space behind it; empty when there is none.
std::string next_word(Bytes file, size_t& at) {
  constexpr size_t kLongest = 32;
  std::string word;
  while (at < file.size() && word.size() < kLongest) {
    const auto c = static_cast<char>(file[at++]);
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') return word;
    word += c;
  }
  return "";
}

// Larger than any image can be where the number is.
std::optional<uint64_t> side_of(const std::string& word) {
  constexpr uint64_t kMost = 999'999'999'999;
  if (word.empty()) return std::nullopt;
  uint64_t side = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return std::nullopt;
    side = std::min(side * 10 + static_cast<uint64_t>(c - '0'), kMost);
  }
  return side;
}

void swap_words(std::vector<std::byte>& bytes) {
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    std::swap(bytes[i], bytes[i + 3]);
    std::swap(bytes[i + 1], bytes[i + 2]);
  }
}

}  // namespace

Result<Image> read_pfm(Bytes file) {
  size_t at = 0;
  const std::string kind = next_word(file, at), width = next_word(file, at), height = next_word(file, at),
                    scale_word = next_word(file, at);
  char* end = nullptr;
  const double scale = std::strtod(scale_word.c_str(), &end);
  if (scale_word.empty() || *end != '\0' || !std::isfinite(scale) || scale == 0)
    return broken("The header of the PFM file is not complete.");
  const auto columns = side_of(width), rows = side_of(height);
  if (!columns || !rows)
    return broken("The size in the header of the PFM file is no number: " + width + " " + height + ".");
  auto desc = dense_desc(*columns, *rows, kind == "PF" ? 3 : 1, Dtype::F32);
  if (!desc) return desc.error();
  desc->kind = kind == "PF" ? OutputKind::Hdr : OutputKind::Tensor;
  desc->color_space = kind == "PF" ? ColorSpace::Linear : ColorSpace::Data;
  desc->bottom_up = true;
  const uint64_t bytes = frame_bytes(*desc);
  if (file.size() - at < bytes)
    return broken("The PFM file ends after " + std::to_string(file.size() - at) + " of " + std::to_string(bytes) +
                  " bytes of pixels.");
  ImageOutput output{kind == "PF" ? "color" : "data", *desc, {}};
  output.bytes.assign(file.begin() + static_cast<std::ptrdiff_t>(at),
                      file.begin() + static_cast<std::ptrdiff_t>(at + bytes));
  if (scale > 0) swap_words(output.bytes);
  Image image;
  image.push_back(std::move(output));
  return image;
}

}  // namespace seamscope::files
