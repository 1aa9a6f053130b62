// NumPy's format, versions 1 to 3: arrays of two dimensions (rows, columns), or three with the channels first or last,
// or four (a batch of the former).

#include <array>
#include <cstring>
#include <optional>

#include "files/image_file.hpp"
#include "preview/texel.hpp"

namespace seamscope::files {
namespace {

constexpr size_t kLongestHeader = 64 * 1024;
// The most channels that a leading or last dimension is taken for.
constexpr uint64_t kMostChannels = 4;

struct Word {
  std::string_view word;
  Dtype dtype;
};
constexpr std::array<Word, 14> kTypes{{{"|b1", Dtype::Bool},
                                       {"|u1", Dtype::U8},
                                       {"|i1", Dtype::I8},
                                       {"<u2", Dtype::U16},
                                       {"<i2", Dtype::I16},
                                       {"<u4", Dtype::U32},
                                       {"<i4", Dtype::I32},
                                       {"<i8", Dtype::I64},
                                       {"<u8", Dtype::I64},
                                       {"<f2", Dtype::F16},
                                       {"<f4", Dtype::F32},
                                       {"<f8", Dtype::F64},
                                       {"=f4", Dtype::F32},
                                       {"=f8", Dtype::F64}}};

struct Array {
  Dtype dtype = Dtype::U8;
  bool is_u64 = false;  // shown as I64
  std::vector<uint64_t> shape;
  size_t data = 0;
};

// What stands behind 'key': in the header's dictionary.
std::string_view value_of(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return {};
  const size_t colon = header.find(':', at);
  if (colon == std::string_view::npos) return {};
  const size_t begin = header.find_first_not_of(' ', colon + 1);
  return begin == std::string_view::npos ? std::string_view{} : header.substr(begin);
}

std::optional<std::vector<uint64_t>> shape_of(std::string_view text) {
  if (text.empty() || text[0] != '(') return std::nullopt;
  std::vector<uint64_t> shape;
  uint64_t number = 0;
  bool digits = false;
  for (const char c : text.substr(1)) {
    if (c >= '0' && c <= '9') {
      if (number > kMostBytes) return std::nullopt;
      number = number * 10 + static_cast<uint64_t>(c - '0');
      digits = true;
    } else if (c == ',' || c == ')') {
      if (digits) shape.push_back(number);
      number = 0;
      digits = false;
      if (c == ')') return shape;
    } else if (c != ' ') {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

Result<Array> header_of(Bytes file) {
  if (file.size() < 12) return broken("The header of the NPY file is not complete.");
  const auto byte = [&](size_t i) { return std::to_integer<size_t>(file[i]); };
  const bool wide = byte(6) >= 2;
  const size_t start = wide ? 12 : 10;
  const size_t length = wide ? byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24 : byte(8) | byte(9) << 8;
  if (length > kLongestHeader || file.size() < start + length)
    return broken("The header of the NPY file is not complete.");
  const std::string_view header(reinterpret_cast<const char*>(file.data()) + start, length);
  Array array;
  array.data = start + length;
  const std::string_view descr = value_of(header, "descr");
  const Word* type = nullptr;
  for (const Word& known : kTypes)
    if (descr.size() > 4 && descr.substr(1, 3) == known.word) type = &known;
  if (!type)
    return broken("Numbers of type " + std::string(descr.substr(0, descr.find(','))).substr(0, 40) +
                  " cannot be shown.");
  array.dtype = type->dtype;
  array.is_u64 = type->word == "<u8";
  if (value_of(header, "fortran_order").substr(0, 5) != "False")
    return broken("The NPY file is in Fortran order; save np.ascontiguousarray(a).");
  const auto shape = shape_of(value_of(header, "shape"));
  if (!shape) return broken("The shape of the NPY file cannot be read.");
  array.shape = *shape;
  return array;
}

struct Layout {
  uint64_t batches = 1, channels = 1, height = 0, width = 0;
  bool planar = false;
};

// (H, W), (H, W, C), (C, H, W), (N, H, W, C), (N, C, H, W); a last dimension of 1 to 4 is that of the channels.
std::optional<Layout> layout_of(std::vector<uint64_t> shape) {
  Layout layout;
  if (shape.size() == 4) {
    layout.batches = shape.front();
    shape.erase(shape.begin());
  }
  if (shape.size() == 2) {
    layout.height = shape[0];
    layout.width = shape[1];
    return layout;
  }
  if (shape.size() != 3) return std::nullopt;
  layout.planar = shape[2] > kMostChannels && shape[0] <= kMostChannels;
  layout.channels = layout.planar ? shape[0] : shape[2];
  layout.height = layout.planar ? shape[1] : shape[0];
  layout.width = layout.planar ? shape[2] : shape[1];
  return layout;
}

// Of any of these little-endian 64-bit words.
bool has_top_bit(Bytes words) {
  for (size_t i = 7; i < words.size(); i += 8)
    if (std::to_integer<unsigned>(words[i]) & 0x80) return true;
  return false;
}

}  // namespace

Result<Image> read_npy(Bytes file) {
  const auto array = header_of(file);
  if (!array) return array.error();
  const auto layout = layout_of(array->shape);
  if (!layout)
    return broken("The NPY file has " + std::to_string(array->shape.size()) + " dimensions; 2, 3 or 4 can be shown.");
  auto desc = dense_desc(layout->width, layout->height, layout->channels, array->dtype);
  if (!desc) return desc.error();
  if (layout->planar) {
    desc->pixel_stride = dtype_size(array->dtype);
    desc->row_stride = desc->pixel_stride * layout->width;
    desc->channel_stride = desc->row_stride * layout->height;
  }
  const bool bytes_of_color = array->dtype == Dtype::U8 && layout->channels >= 3 && layout->channels <= 4;
  desc->kind = bytes_of_color ? OutputKind::Color : OutputKind::Tensor;
  desc->color_space = bytes_of_color ? ColorSpace::Srgb : ColorSpace::Data;
  const uint64_t one = frame_bytes(*desc);
  if (layout->batches == 0 || layout->batches > kMostBytes / one)
    return broken("The NPY file holds " + std::to_string(layout->batches) + " images, more than the limit allows.");
  desc->batches = static_cast<uint32_t>(layout->batches);
  desc->batch_stride = one;
  const uint64_t bytes = batch_bytes(*desc);
  if (file.size() - array->data < bytes)
    return broken("The NPY file ends after " + std::to_string(file.size() - array->data) + " of " +
                  std::to_string(bytes) + " bytes of numbers.");
  if (array->is_u64 && has_top_bit(file.subspan(array->data, bytes)))
    return broken("The NPY file has 64-bit numbers from 2^63 on, which cannot be shown; save them as float64.");
  const auto begin = file.begin() + static_cast<std::ptrdiff_t>(array->data);
  Image image;
  image.push_back({bytes_of_color ? "color" : "data", *desc, {begin, begin + static_cast<std::ptrdiff_t>(bytes)}});
  return image;
}

}  // namespace seamscope::files
