#include "devices/vulkan_external.hpp"

namespace seamscope {
namespace {

struct MemoryType {
  const char* name;
  VkExternalMemoryHandleTypeFlagBits type;
  const char* extension;
};
constexpr MemoryType kMemoryTypes[] = {
    {"opaqueFd", VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME},
    {"dmaBuf", VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME},
    {"hostAllocation", VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
     VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME},
};

struct BufferUsage {
  const char* name;
  VkBufferUsageFlags flags;
};
constexpr VkBufferUsageFlags kTransfer = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr BufferUsage kBufferUsages[] = {
    {"storage", VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | kTransfer},
    {"transfer", kTransfer},
    {"vertex", VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | kTransfer},
    {"uniform", VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | kTransfer},
    {"indirect", VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | kTransfer},
};

struct ImageUsage {
  const char* name;
  VkImageUsageFlags flags;
};
constexpr VkImageUsageFlags kCopied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr ImageUsage kColor = {"color", VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | kCopied};
constexpr ImageUsage kDepth = {"depth", VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | kCopied};
constexpr ImageUsage kStorage = {"storage", VK_IMAGE_USAGE_STORAGE_BIT | kCopied};
constexpr ImageUsage kCopies = {"transfer", kCopied};

// The formats that renderers hand over: colour of 8 and 16 bits, HDR, single values, ids, depth.
struct Format {
  const char* name;
  VkFormat format;
  bool depth;
};
constexpr Format kFormats[] = {
    {"R8G8B8A8_UNORM", VK_FORMAT_R8G8B8A8_UNORM, false},
    {"B8G8R8A8_UNORM", VK_FORMAT_B8G8R8A8_UNORM, false},
    {"A2B10G10R10_UNORM_PACK32", VK_FORMAT_A2B10G10R10_UNORM_PACK32, false},
    {"R16G16B16A16_SFLOAT", VK_FORMAT_R16G16B16A16_SFLOAT, false},
    {"R32G32B32A32_SFLOAT", VK_FORMAT_R32G32B32A32_SFLOAT, false},
    {"R16G16_SFLOAT", VK_FORMAT_R16G16_SFLOAT, false},
    {"R32_SFLOAT", VK_FORMAT_R32_SFLOAT, false},
    {"R32_UINT", VK_FORMAT_R32_UINT, false},
    {"D32_SFLOAT", VK_FORMAT_D32_SFLOAT, true},
    {"D24_UNORM_S8_UINT", VK_FORMAT_D24_UNORM_S8_UINT, true},
};

VkExternalMemoryFeatureFlags buffer_features(VkPhysicalDevice device, VkExternalMemoryHandleTypeFlagBits type,
                                             VkBufferUsageFlags usage) {
  VkPhysicalDeviceExternalBufferInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO;
  info.usage = usage;
  info.handleType = type;
  VkExternalBufferProperties properties{};
  properties.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
  vkGetPhysicalDeviceExternalBufferProperties(device, &info, &properties);
  return properties.externalMemoryProperties.externalMemoryFeatures;
}

template <typename Support>
bool set_features(Support& support, VkExternalMemoryFeatureFlags features) {
  support.exportable = (features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) != 0;
  support.importable = (features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) != 0;
  support.dedicated_only = (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) != 0;
  return support.exportable || support.importable;
}

// False when there is no such image at all, or it cannot cross.
bool ask_image(VkPhysicalDevice device, VkExternalMemoryHandleTypeFlagBits type, VkFormat format, VkImageTiling tiling,
               VkImageUsageFlags usage, ExternalImage& image) {
  VkPhysicalDeviceExternalImageFormatInfo external{};
  external.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO;
  external.handleType = type;
  VkPhysicalDeviceImageFormatInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2;
  info.pNext = &external;
  info.format = format;
  info.type = VK_IMAGE_TYPE_2D;
  info.tiling = tiling;
  info.usage = usage;
  VkExternalImageFormatProperties answer{};
  answer.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES;
  VkImageFormatProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2;
  properties.pNext = &answer;
  if (vkGetPhysicalDeviceImageFormatProperties2(device, &info, &properties) != VK_SUCCESS) return false;
  image.max_width = properties.imageFormatProperties.maxExtent.width;
  image.max_height = properties.imageFormatProperties.maxExtent.height;
  return set_features(image, answer.externalMemoryProperties.externalMemoryFeatures);
}

void add_images(VkPhysicalDevice device, const MemoryType& memory, const Format& format, const ImageUsage& usage,
                std::vector<ExternalImage>& images) {
  ExternalImage image{memory.name, format.name, "optimal", usage.name};
  if (ask_image(device, memory.type, format.format, VK_IMAGE_TILING_OPTIMAL, usage.flags, image))
    images.push_back(image);
  image.tiling = "linear";
  if (ask_image(device, memory.type, format.format, VK_IMAGE_TILING_LINEAR, usage.flags, image))
    images.push_back(image);
}

}  // namespace

std::vector<ExternalHandle> external_memory_of(VkPhysicalDevice device, const ExtensionSet& extensions) {
  std::vector<ExternalHandle> handles;
  for (const auto& memory : kMemoryTypes) {
    const bool offered = extensions.has(memory.extension);
    ExternalHandle handle{memory.name};
    set_features(handle, offered ? buffer_features(device, memory.type, kBufferUsages[0].flags) : 0);
    handles.push_back(handle);
  }
  return handles;
}

std::vector<ExternalBuffer> external_buffers_of(VkPhysicalDevice device, const ExtensionSet& extensions) {
  std::vector<ExternalBuffer> buffers;
  for (const auto& memory : kMemoryTypes) {
    if (!extensions.has(memory.extension)) continue;
    for (const auto& usage : kBufferUsages) {
      ExternalBuffer buffer{memory.name, usage.name};
      if (set_features(buffer, buffer_features(device, memory.type, usage.flags))) buffers.push_back(buffer);
    }
  }
  return buffers;
}

std::vector<ExternalImage> external_images_of(VkPhysicalDevice device, const ExtensionSet& extensions) {
  std::vector<ExternalImage> images;
  for (const auto& memory : kMemoryTypes) {
    // Images with DMA-BUFs need a format modifier, which is a question of its own.
    if (!extensions.has(memory.extension) || memory.type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT) continue;
    for (const auto& format : kFormats) {
      add_images(device, memory, format, format.depth ? kDepth : kColor, images);
      if (!format.depth) add_images(device, memory, format, kStorage, images);
      add_images(device, memory, format, kCopies, images);
    }
  }
  return images;
}

}  // namespace seamscope
