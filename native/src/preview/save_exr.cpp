// EXR by OpenEXR's C library, compressed by zip: what halves, floats and 32-bit unsigned numbers hold exactly.

#include "preview/save.hpp"

#if SEAMSCOPE_EXR

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "preview/exr_words.hpp"
#include "preview/passes.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

// A level of 2 is a third slower than none and half the size; more costs time and gains little on noise.
constexpr int kZipLevel = 2;

int64_t write_bytes(exr_const_context_t, void* user, const void* from, uint64_t size, uint64_t offset,
                    exr_stream_error_func_ptr_t) {
  auto& out = *static_cast<std::vector<uint8_t>*>(user);
  try {
    if (out.size() < offset + size) out.resize(offset + size);
  } catch (const std::bad_alloc&) {
    return -1;
  }
  std::memcpy(out.data() + offset, from, size);
  return static_cast<int64_t>(size);
}

class Writer {
 public:
  explicit Writer(std::vector<uint8_t>& out) {
    exr_context_initializer_t options = EXR_DEFAULT_CONTEXT_INITIALIZER;
    options.error_handler_fn = ExrWords::take;
    options.user_data = &out;
    options.write_fn = write_bytes;
    options.zip_level = kZipLevel;
    if (exr_start_write(&context_, "file", EXR_WRITE_FILE_DIRECTLY, &options) != EXR_ERR_SUCCESS) context_ = nullptr;
  }
  ~Writer() { finish(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  bool finish() {
    if (!context_) return false;
    const bool done = exr_finish(&context_) == EXR_ERR_SUCCESS;
    context_ = nullptr;
    return done;
  }
  operator exr_context_t() const { return context_; }

 private:
  exr_context_t context_ = nullptr;
};

// The rows of the file: numbers of one size, interleaved, top row first.
struct Pixels {
  exr_pixel_type_t type;
  std::vector<std::byte> bytes;
  uint64_t size, pixel_stride, row_stride;
};

template <Dtype D, typename Number>
void copy_rows(std::span<const std::byte> frame, const FrameDesc& desc, Pixels& pixels) {
  for (uint32_t y = 0; y < desc.height; ++y)
    for (uint32_t x = 0; x < desc.width; ++x) {
      const std::byte* texel = frame.data() + row_offset(desc, y) + x * desc.pixel_stride;
      std::byte* to = pixels.bytes.data() + y * pixels.row_stride + x * pixels.pixel_stride;
      for (uint32_t c = 0; c < desc.channels; ++c, to += sizeof(Number)) {
        Number number;
        if constexpr (D == Dtype::F16)
          number = load_as<Number>(texel + channel_offset(desc, c));
        else
          number = load<D>(texel + channel_offset(desc, c), c);
        std::memcpy(to, &number, sizeof number);
      }
    }
}

bool holds_exactly(Dtype dtype) {
  return dtype == Dtype::F16 || dtype == Dtype::BF16 || dtype == Dtype::F32 || dtype == Dtype::U32 ||
         dtype == Dtype::R11G11B10F;
}

Pixels pixels_of(std::span<const std::byte> frame, const FrameDesc& desc) {
  Pixels pixels{EXR_PIXEL_FLOAT, {}, 4, 0, 0};
  if (desc.dtype == Dtype::F16) pixels.type = EXR_PIXEL_HALF, pixels.size = 2;
  if (desc.dtype == Dtype::U32) pixels.type = EXR_PIXEL_UINT;
  pixels.pixel_stride = pixels.size * desc.channels;
  pixels.row_stride = pixels.pixel_stride * desc.width;
  pixels.bytes.resize(pixels.row_stride * desc.height);
  with_dtype(desc.dtype, [&](auto tag) {
    constexpr Dtype D = tag.value;
    if constexpr (D == Dtype::F16) copy_rows<D, uint16_t>(frame, desc, pixels);
    if constexpr (D == Dtype::U32) copy_rows<D, uint32_t>(frame, desc, pixels);
    if constexpr (D == Dtype::F32 || D == Dtype::BF16 || D == Dtype::R11G11B10F)
      copy_rows<D, float>(frame, desc, pixels);
  });
  return pixels;
}

std::vector<std::string> channel_names(const FrameDesc& desc) {
  const bool vectors = desc.kind == OutputKind::Normal || desc.kind == OutputKind::Motion;
  if (desc.channels == 1) return {desc.kind == OutputKind::Depth ? "Z" : desc.kind == OutputKind::Id ? "id" : "Y"};
  if (desc.channels == 2 && has_alpha(desc)) return {"Y", "A"};
  constexpr std::array<const char*, 4> kColors{"R", "G", "B", "A"}, kVectors{"X", "Y", "Z", "W"};
  std::vector<std::string> names;
  for (uint32_t c = 0; c < desc.channels; ++c) {
    if (desc.channels <= 4) {
      names.emplace_back(vectors || desc.channels == 2 ? kVectors[c] : kColors[c]);
    } else {
      const std::string number = std::to_string(c);
      names.push_back("c" + std::string(number.size() < 3 ? 3 - number.size() : 0, '0') + number);
    }
  }
  return names;
}

bool write_chunk(exr_context_t context, int part, uint32_t y, const Pixels& pixels,
                 const std::vector<std::string>& names, uint32_t& lines) {
  exr_chunk_info_t chunk{};
  if (exr_write_scanline_chunk_info(context, part, static_cast<int>(y), &chunk) != EXR_ERR_SUCCESS) return false;
  exr_encode_pipeline_t pipeline = EXR_ENCODE_PIPELINE_INITIALIZER;
  if (exr_encoding_initialize(context, part, &chunk, &pipeline) != EXR_ERR_SUCCESS) return false;
  for (int16_t i = 0; i < pipeline.channel_count; ++i) {
    exr_coding_channel_info_t& channel = pipeline.channels[i];
    const auto found = std::find(names.begin(), names.end(), channel.channel_name);
    const auto c = static_cast<uint64_t>(found - names.begin());
    channel.encode_from_ptr =
        reinterpret_cast<const uint8_t*>(pixels.bytes.data()) + y * pixels.row_stride + c * pixels.size;
    channel.user_bytes_per_element = static_cast<int16_t>(pixels.size);
    channel.user_data_type = static_cast<uint16_t>(pixels.type);
    channel.user_pixel_stride = static_cast<int32_t>(pixels.pixel_stride);
    channel.user_line_stride = static_cast<int32_t>(pixels.row_stride);
  }
  lines = static_cast<uint32_t>(chunk.height);
  const bool done = exr_encoding_choose_default_routines(context, part, &pipeline) == EXR_ERR_SUCCESS &&
                    exr_encoding_run(context, part, &pipeline) == EXR_ERR_SUCCESS;
  exr_encoding_destroy(context, &pipeline);
  return done && lines > 0;
}

bool write_all(Writer& writer, const FrameDesc& desc, const Pixels& pixels) {
  int part = 0;
  const std::vector<std::string> names = channel_names(desc);
  const auto width = static_cast<int32_t>(desc.width), height = static_cast<int32_t>(desc.height);
  if (!static_cast<exr_context_t>(writer) ||
      exr_add_part(writer, "image", EXR_STORAGE_SCANLINE, &part) != EXR_ERR_SUCCESS ||
      exr_initialize_required_attr_simple(writer, part, width, height, EXR_COMPRESSION_ZIP) != EXR_ERR_SUCCESS)
    return false;
  for (const std::string& name : names)
    if (exr_add_channel(writer, part, name.c_str(), pixels.type, EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1) != EXR_ERR_SUCCESS)
      return false;
  if (exr_write_header(writer) != EXR_ERR_SUCCESS) return false;
  for (uint32_t y = 0, lines = 0; y < desc.height; y += lines)
    if (!write_chunk(writer, part, y, pixels, names, lines)) return false;
  return writer.finish();
}

}  // namespace

Result<std::vector<uint8_t>> exr_contents(std::span<const std::byte> frame, const FrameDesc& desc) {
  if (!holds_exactly(desc.dtype))
    return Error{"An EXR file cannot hold this output exactly: it holds halves, floats and 32-bit unsigned numbers.",
                 "Save it as .npy, which keeps every value.",
                 {}};
  const ExrWords words;
  std::vector<uint8_t> out;
  Writer writer(out);
  if (write_all(writer, desc, pixels_of(frame, desc))) return out;
  return Error{"The EXR file could not be made (" + words.text() + ").", "Save it as .npy.", {}};
}

}  // namespace seamscope

#else

namespace seamscope {

Result<std::vector<uint8_t>> exr_contents(std::span<const std::byte>, const FrameDesc&) {
  return Error{"This build of Seamscope has no EXR support.", "Save it as .npy, which keeps every value.", {}};
}

}  // namespace seamscope

#endif
