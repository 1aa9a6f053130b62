#include "scene/scene.hpp"

namespace seamscope {
namespace {

FrameDesc packed(uint32_t width, uint32_t height, uint32_t channels, Dtype dtype, uint32_t bytes_per_channel) {
  FrameDesc desc;
  desc.width = width;
  desc.height = height;
  desc.channels = channels;
  desc.dtype = dtype;
  desc.channel_stride = bytes_per_channel;
  desc.pixel_stride = uint64_t{channels} * bytes_per_channel;
  desc.row_stride = desc.pixel_stride * width;
  return desc;
}

OutputInfo output(const char* name, FrameDesc desc, OutputKind kind, ColorSpace color_space) {
  desc.kind = kind;
  desc.color_space = color_space;
  return {name, desc};
}

}  // namespace

Result<void> check_scene_size(uint32_t width, uint32_t height) {
  if (width && height && width <= kMaxSceneSide && height <= kMaxSceneSide) return {};
  return Error{"The scene cannot be " + std::to_string(width) + "x" + std::to_string(height) + " pixels.",
               "Choose sides between 1 and " + std::to_string(kMaxSceneSide) + " pixels.", ""};
}

std::vector<OutputInfo> scene_outputs(uint32_t width, uint32_t height) {
  return {
      output("color", packed(width, height, 4, Dtype::U8, 1), OutputKind::Color, ColorSpace::Srgb),
      output("hdr", packed(width, height, 4, Dtype::F16, 2), OutputKind::Hdr, ColorSpace::Linear),
      output("depth", packed(width, height, 1, Dtype::F32, 4), OutputKind::Depth, ColorSpace::Data),
      output("ids", packed(width, height, 1, Dtype::U32, 4), OutputKind::Id, ColorSpace::Data),
  };
}

}  // namespace seamscope
