// EXR by OpenEXR's C library: flat parts in scanlines or tiles, every compression. Channels of one layer become one
// output.

#include "files/image_file.hpp"

#if SEAMSCOPE_EXR

#include <algorithm>
#include <cstring>
#include <map>

#include "preview/exr_words.hpp"
#include "preview/texel.hpp"

namespace seamscope::files {
namespace {

constexpr int kMostSide = 65536;
constexpr size_t kMostOutputs = 100, kMostChannels = 1024;

int64_t read_bytes(exr_const_context_t, void* user, void* into, uint64_t size, uint64_t offset,
                   exr_stream_error_func_ptr_t) {
  const Bytes& file = *static_cast<const Bytes*>(user);
  if (offset >= file.size()) return 0;
  const uint64_t count = std::min<uint64_t>(size, file.size() - offset);
  std::memcpy(into, file.data() + offset, count);
  return static_cast<int64_t>(count);
}

int64_t size_of(exr_const_context_t, void* user) {
  return static_cast<int64_t>(static_cast<const Bytes*>(user)->size());
}

class Context {
 public:
  Context() = default;
  ~Context() {
    if (context_) exr_finish(&context_);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  bool open(Bytes& file) {
    exr_context_initializer_t options = EXR_DEFAULT_CONTEXT_INITIALIZER;
    options.error_handler_fn = ExrWords::take;
    options.user_data = &file;
    options.read_fn = read_bytes;
    options.size_fn = size_of;
    options.max_image_width = options.max_image_height = kMostSide;
    options.max_tile_width = options.max_tile_height = kMostSide;
    return exr_start_read(&context_, "file", &options) == EXR_ERR_SUCCESS;
  }
  operator exr_context_t() const { return context_; }

 private:
  exr_context_t context_ = nullptr;
};

class Decoder {
 public:
  Decoder(exr_const_context_t context, int part) : context_(context), part_(part) {}
  ~Decoder() {
    if (begun_) exr_decoding_destroy(context_, &pipeline_);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // `place(channel)` points the channel at its memory for this chunk.
  template <typename Place>
  bool run(const exr_chunk_info_t& chunk, Place&& place) {
    const auto prepared = begun_ ? exr_decoding_update(context_, part_, &chunk, &pipeline_)
                                 : exr_decoding_initialize(context_, part_, &chunk, &pipeline_);
    if (prepared != EXR_ERR_SUCCESS) return false;
    const bool first = !std::exchange(begun_, true);
    for (int16_t i = 0; i < pipeline_.channel_count; ++i) place(pipeline_.channels[i]);
    if (first && exr_decoding_choose_default_routines(context_, part_, &pipeline_) != EXR_ERR_SUCCESS) return false;
    return exr_decoding_run(context_, part_, &pipeline_) == EXR_ERR_SUCCESS;
  }

 private:
  exr_const_context_t context_;
  int part_;
  exr_decode_pipeline_t pipeline_ = EXR_DECODE_PIPELINE_INITIALIZER;
  bool begun_ = false;
};

struct Layer {
  std::vector<std::pair<std::string, exr_pixel_type_t>> channels;  // whole names
};

std::string suffix_of(const std::string& channel) {
  const size_t dot = channel.rfind('.');
  return dot == std::string::npos ? channel : channel.substr(dot + 1);
}

// The usual order of a layer's channels; others follow by name.
int rank(const std::string& channel) {
  constexpr std::string_view kOrder = "RGBAXYZWUV";
  const std::string suffix = suffix_of(channel);
  const size_t at = suffix.size() == 1 ? kOrder.find(suffix) : std::string_view::npos;
  return at == std::string_view::npos ? 100 : static_cast<int>(at);
}

// Colours without a layer belong together, and so do X, Y, Z and W where there is an X (alone, Y is luminance and Z
// depth). Every other channel without a layer stands alone.
std::string layer_of(const std::string& channel, bool vectors) {
  const size_t dot = channel.rfind('.');
  if (dot != std::string::npos) return channel.substr(0, dot);
  if (channel.size() != 1) return channel;
  if (std::string_view("RGBA").find(channel) != std::string_view::npos) return "color";
  return vectors && std::string_view("XYZW").find(channel) != std::string_view::npos ? "vector" : channel;
}

OutputKind kind_of(const std::string& name, const Layer& layer, Dtype dtype) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const size_t count = layer.channels.size();
  if (dtype == Dtype::U32) return OutputKind::Id;
  if (lower.find("normal") != std::string::npos) return OutputKind::Normal;
  if (lower.find("motion") != std::string::npos || lower.find("velocity") != std::string::npos)
    return OutputKind::Motion;
  if (count == 1 && (lower == "z" || lower.find("depth") != std::string::npos)) return OutputKind::Depth;
  return suffix_of(layer.channels[0].first) == "R" ? OutputKind::Hdr : OutputKind::Tensor;
}

Dtype dtype_of(const Layer& layer) {
  const exr_pixel_type_t first = layer.channels[0].second;
  for (const auto& [name, type] : layer.channels)
    if (type != first) return Dtype::F32;
  return first == EXR_PIXEL_HALF ? Dtype::F16 : first == EXR_PIXEL_UINT ? Dtype::U32 : Dtype::F32;
}

exr_pixel_type_t stored_type(Dtype dtype) {
  return dtype == Dtype::F16 ? EXR_PIXEL_HALF : dtype == Dtype::U32 ? EXR_PIXEL_UINT : EXR_PIXEL_FLOAT;
}

struct Target {
  size_t output;
  uint64_t offset;
};

class Part {
 public:
  Part(exr_context_t context, int index, Image& image) : context_(context), index_(index), image_(image) {}

  Result<void> read(uint64_t& budget) {
    exr_storage_t storage = EXR_STORAGE_SCANLINE;
    if (exr_get_storage(context_, index_, &storage) != EXR_ERR_SUCCESS) return damaged();
    if (storage != EXR_STORAGE_SCANLINE && storage != EXR_STORAGE_TILED)
      return broken("The EXR file holds deep data, which has no one value a pixel.");
    if (auto made = make_outputs(budget); !made) return made;
    return storage == EXR_STORAGE_TILED ? read_tiles() : read_lines();
  }

 private:
  Error damaged() const { return broken("The EXR file is damaged or not complete (" + words_.text() + ")."); }

  Result<void> make_outputs(uint64_t& budget) {
    exr_attr_box2i_t window{};
    const exr_attr_chlist_t* channels = nullptr;
    if (exr_get_data_window(context_, index_, &window) != EXR_ERR_SUCCESS ||
        exr_get_channels(context_, index_, &channels) != EXR_ERR_SUCCESS)
      return damaged();
    left_ = window.min.x;
    top_ = window.min.y;
    width_ = int64_t{window.max.x} - left_ + 1;
    height_ = int64_t{window.max.y} - top_ + 1;
    if (width_ < 1 || height_ < 1 || width_ > kMostSide || height_ > kMostSide)
      return broken("The EXR image would be " + std::to_string(width_) + "x" + std::to_string(height_) + " pixels.");
    if (channels->num_channels < 1 || static_cast<size_t>(channels->num_channels) > kMostChannels)
      return broken("The EXR file has " + std::to_string(channels->num_channels) + " channels.");
    std::map<std::string, Layer> layers;
    const auto* end = channels->entries + channels->num_channels;
    const bool vectors = std::any_of(channels->entries, end, [](const exr_attr_chlist_entry_t& entry) {
      return std::string_view(entry.name.str, static_cast<size_t>(entry.name.length)) == "X";
    });
    for (int i = 0; i < channels->num_channels; ++i) {
      const exr_attr_chlist_entry_t& entry = channels->entries[i];
      if (entry.x_sampling != 1 || entry.y_sampling != 1)
        return broken("The EXR file has channels at a lower resolution (luminance and chroma).");
      const std::string name(entry.name.str, static_cast<size_t>(entry.name.length));
      layers[layer_of(name, vectors)].channels.emplace_back(name, entry.pixel_type);
    }
    for (auto& [name, layer] : layers)
      if (auto made = add_output(name, layer, budget); !made) return made;
    return {};
  }

  Result<void> add_output(const std::string& name, Layer& layer, uint64_t& budget) {
    std::stable_sort(layer.channels.begin(), layer.channels.end(),
                     [](const auto& a, const auto& b) { return rank(a.first) < rank(b.first); });
    const Dtype dtype = dtype_of(layer);
    auto desc = dense_desc(static_cast<uint64_t>(width_), static_cast<uint64_t>(height_), layer.channels.size(), dtype);
    if (!desc) return desc.error();
    const uint64_t bytes = frame_bytes(*desc);
    if (bytes > budget || image_.size() >= kMostOutputs)
      return broken("The layers of the EXR file need more than the limit of " + std::to_string(kMostBytes >> 20) +
                    " MiB.");
    budget -= bytes;
    desc->kind = kind_of(name, layer, dtype);
    desc->color_space = desc->kind == OutputKind::Hdr ? ColorSpace::Linear : ColorSpace::Data;
    for (size_t c = 0; c < layer.channels.size(); ++c)
      targets_[layer.channels[c].first] = {image_.size(), c * desc->channel_stride};
    image_.push_back({name, *desc, std::vector<std::byte>(bytes)});
    return {};
  }

  // Where the texel (x, y) of a channel goes.
  void place(exr_coding_channel_info_t& channel, int64_t x, int64_t y) {
    const auto found = targets_.find(channel.channel_name);
    if (found == targets_.end()) return;
    ImageOutput& output = image_[found->second.output];
    const FrameDesc& desc = output.desc;
    channel.decode_to_ptr = reinterpret_cast<uint8_t*>(output.bytes.data()) +
                            static_cast<uint64_t>(y) * desc.row_stride + static_cast<uint64_t>(x) * desc.pixel_stride +
                            found->second.offset;
    channel.user_data_type = static_cast<uint16_t>(stored_type(desc.dtype));
    channel.user_bytes_per_element = static_cast<int16_t>(dtype_size(desc.dtype));
    channel.user_pixel_stride = static_cast<int32_t>(desc.pixel_stride);
    channel.user_line_stride = static_cast<int32_t>(desc.row_stride);
  }

  Result<void> decode(Decoder& decoder, const exr_chunk_info_t& chunk, int64_t x, int64_t y) {
    // The library has checked this against the window as well; nothing is written on its word alone.
    if (x < 0 || y < 0 || chunk.width < 1 || chunk.height < 1 || x + chunk.width > width_ || y + chunk.height > height_)
      return damaged();
    return decoder.run(chunk, [&](exr_coding_channel_info_t& channel) { place(channel, x, y); }) ? Result<void>()
                                                                                                 : damaged();
  }

  Result<void> read_lines() {
    Decoder decoder(context_, index_);
    for (int64_t y = 0; y < height_;) {
      exr_chunk_info_t chunk{};
      if (exr_read_scanline_chunk_info(context_, index_, static_cast<int>(top_ + y), &chunk) != EXR_ERR_SUCCESS)
        return damaged();
      if (auto done = decode(decoder, chunk, 0, y); !done) return done;
      y += chunk.height;
    }
    return {};
  }

  Result<void> read_tiles() {
    int32_t tile_width = 0, tile_height = 0;
    if (exr_get_tile_sizes(context_, index_, 0, 0, &tile_width, &tile_height) != EXR_ERR_SUCCESS || tile_width < 1 ||
        tile_height < 1)
      return damaged();
    Decoder decoder(context_, index_);
    for (int64_t y = 0; y < height_; y += tile_height)
      for (int64_t x = 0; x < width_; x += tile_width) {
        exr_chunk_info_t chunk{};
        const auto column = static_cast<int>(x / tile_width), row = static_cast<int>(y / tile_height);
        if (exr_read_tile_chunk_info(context_, index_, column, row, 0, 0, &chunk) != EXR_ERR_SUCCESS) return damaged();
        if (auto done = decode(decoder, chunk, x, y); !done) return done;
      }
    return {};
  }

  exr_context_t context_;
  int index_;
  Image& image_;
  ExrWords words_;
  int64_t left_ = 0, top_ = 0, width_ = 0, height_ = 0;
  std::map<std::string, Target> targets_;
};

// Parts may use the same layer names.
void make_names_unique(Image& image) {
  for (size_t i = 0; i < image.size(); ++i) {
    size_t times = 1;
    for (size_t j = 0; j < i; ++j) times += image[j].name == image[i].name;
    if (times > 1) image[i].name += " " + std::to_string(times);
  }
}

}  // namespace

bool reads_exr() {
  return true;
}

Result<Image> read_exr(Bytes file) {
  const ExrWords words;
  Context context;
  if (!context.open(file)) return broken("The EXR file is damaged or not complete (" + words.text() + ").");
  int parts = 0;
  if (exr_get_count(context, &parts) != EXR_ERR_SUCCESS || parts < 1) return broken("The EXR file has no parts.");
  Image image;
  uint64_t budget = kMostBytes;
  for (int i = 0; i < parts; ++i)
    if (auto done = Part(context, i, image).read(budget); !done) return done.error();
  make_names_unique(image);
  // The picture comes first, whatever the names are.
  std::stable_partition(image.begin(), image.end(), [](const ImageOutput& output) { return output.name == "color"; });
  return image;
}

}  // namespace seamscope::files

#else

namespace seamscope::files {

bool reads_exr() {
  return false;
}

Result<Image> read_exr(Bytes) {
  return Error{
      "This build of Seamscope has no EXR support.", "Build it where the sources of OpenEXR 3.1 can be fetched.", {}};
}

}  // namespace seamscope::files

#endif
