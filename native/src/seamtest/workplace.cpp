#include "seamtest/workplace.hpp"

#include <cstring>

#include "base/uuid.hpp"
#include "gpu/vulkan_error.hpp"
#include "interop/driver_tap.hpp"
#include "interop/vulkan_timeline.hpp"
#include "seamtest/cuda_side.hpp"
#include "seamtest/host_side.hpp"

namespace seamscope::seamtest {
namespace {

constexpr char kLayer[] = "VK_LAYER_KHRONOS_validation";
constexpr int kPosixFdAttribute = 103, kTimelineAttribute = 114;

bool has_layer() {
  uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  for (const auto& layer : layers)
    if (std::strcmp(layer.layerName, kLayer) == 0) return true;
  return false;
}

bool offers(VkPhysicalDevice physical, const char* extension) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> all(count);
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, all.data());
  for (const auto& each : all)
    if (std::strcmp(each.extensionName, extension) == 0) return true;
  return false;
}

VKAPI_ATTR VkBool32 VKAPI_CALL keep_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                            const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  static_cast<std::vector<std::string>*>(user)->emplace_back(data->pMessage);
  return VK_FALSE;
}

}  // namespace

Workplace::~Workplace() {
  cuda_.reset();
  host_.reset();
  vulkan_.reset();
  if (messenger_) vkDestroyDebugUtilsMessengerEXT(instance_->get(), messenger_, nullptr);
}

Result<std::shared_ptr<const VulkanInstance>> Workplace::instance() {
  if (instance_) return instance_;
  if (auto loaded = load_vulkan(); !loaded) return loaded.error();
  VulkanInstanceOptions options;
  const bool validation = choice_.validation && has_layer();
  if (validation) {
    options.layers.push_back(kLayer);
    options.extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  }
  auto made = VulkanInstance::create(options);
  if (!made) return made.error();
  instance_ = std::make_shared<const VulkanInstance>(std::move(*made));
  if (validation) listen(instance_->get());
  return instance_;
}

void Workplace::listen(VkInstance instance) {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = keep_message;
  info.pUserData = &messages_;
  vkCreateDebugUtilsMessengerEXT(instance, &info, nullptr, &messenger_);
}

std::vector<std::string> Workplace::take_validation_messages() {
  return std::exchange(messages_, {});
}

Result<std::shared_ptr<gpu::Device>> Workplace::open_device() {
  auto ready = instance();
  if (!ready) return ready.error();
  const auto uuid = parse_uuid(choice_.vulkan_uuid);
  if (!uuid)
    return Error{"\"" + choice_.vulkan_uuid + "\" is not the UUID of a Vulkan device.",
                 "Choose one that `seamscope devices` lists.", ""};
  auto chosen = gpu::choose_device(**ready, uuid->bytes);
  if (!chosen) return chosen.error();
  abilities_.memory_fd = offers(chosen->physical, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  abilities_.semaphore_fd = offers(chosen->physical, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
  abilities_.buffer_export = abilities_.memory_fd && interop::can_export_buffers(chosen->physical);
  abilities_.timeline_export = abilities_.semaphore_fd && interop::can_export_timeline(chosen->physical);
  gpu::DeviceOptions options;
  if (abilities_.memory_fd) options.extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  if (abilities_.semaphore_fd) options.extensions.push_back(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
  options.wrap = &interop::DriverTap::wrap_vulkan;
  return gpu::Device::create(*ready, uuid->bytes, options);
}

Result<std::shared_ptr<gpu::Device>> Workplace::vulkan() {
  if (vulkan_ && !vulkan_->given_up()) return vulkan_;
  auto opened = open_device();
  if (opened) vulkan_ = *opened;
  return opened;
}

Result<std::shared_ptr<gpu::Device>> Workplace::host_device() {
  if (host_ && !host_->given_up()) return host_;
  auto opened = open_device();
  if (opened) host_ = *opened;
  return opened;
}

Result<std::shared_ptr<interop::CudaContext>> Workplace::cuda() {
  if (cuda_) return cuda_;
  auto opened = interop::CudaContext::create(*choice_.cuda_ordinal);
  if (opened) cuda_ = *opened;
  return opened;
}

Result<std::unique_ptr<Partner>> Workplace::make_partner(interop::Ledger& ledger, const Cell& cell) {
  if (!has_cuda()) {
    auto device = host_device();
    if (!device) return device.error();
    return std::unique_ptr<Partner>(std::make_unique<HostSide>(*device, ledger, cell));
  }
  auto context = cuda();
  if (!context) return context.error();
  auto side = CudaSide::create(*context, ledger, cell);
  if (!side) return side.error();
  return std::unique_ptr<Partner>(std::move(*side));
}

Result<std::string> Workplace::skip_reason(const Cell& cell) {
  auto device = vulkan();
  if (!device) return device.error();
  const std::string& name = (*device)->info().name;
  if (!abilities_.buffer_export) return name + " cannot export memory as a file descriptor.";
  if (!has_cuda() && cell.resource == Resource::Image)
    return std::string("The host consumer reads buffers only: an image has no layout that the host knows.");
  if (cell.ownership == Ownership::Inverted && cell.resource == Resource::Image)
    return std::string("CUDA allocates linear memory: inverted ownership shares buffers only.");
  if (cell.mode == SyncMode::Timeline && !abilities_.timeline_export)
    return name +
           " cannot export timeline semaphores, so no other API can wait for one: only the fence mode is possible.";
  if (cell.mode == SyncMode::Timeline && !has_cuda())
    return std::string("The host consumer has no stream that could wait for a timeline semaphore.");
  if (!has_cuda()) return std::string();
  auto context = cuda();
  if (!context) return context.error();
  const auto lacks = [&](int attribute) {
    int value = 0;
    return (*context)->api().cuDeviceGetAttribute(&value, attribute, (*context)->device()) == 0 && value == 0;
  };
  if (cell.ownership == Ownership::Inverted && lacks(kPosixFdAttribute))
    return std::string("This CUDA device cannot export its memory as a file descriptor.");
  if (cell.mode == SyncMode::Timeline && lacks(kTimelineAttribute))
    return std::string("This CUDA device cannot import timeline semaphores.");
  return std::string();
}

Result<nlohmann::json> Workplace::describe() {
  auto device = vulkan();
  if (!device) return device.error();
  return nlohmann::json{{"vulkan", (*device)->info().name},
                        {"partner", has_cuda() ? "cuda" : "host"},
                        {"cpu", (*device)->is_cpu()},
                        {"memoryExport", abilities_.buffer_export},
                        {"timelineExport", abilities_.timeline_export},
                        {"validation", validates()}};
}

}  // namespace seamscope::seamtest
