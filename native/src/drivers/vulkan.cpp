#include "drivers/vulkan.hpp"

#include <cstring>
#include <mutex>
#include <optional>

namespace seamscope {
namespace {

std::mutex load_mutex;
std::optional<DynamicLibrary> loaded_library;

VKAPI_ATTR VkBool32 VKAPI_CALL keep_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                            const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  auto* log = static_cast<VulkanLoaderLog*>(user);
  if (data && data->pMessage) log->messages.emplace_back(data->pMessage);
  return VK_FALSE;
}

bool offers_extension(const char* name) {
  uint32_t count = 0;
  if (vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkExtensionProperties> all(count);
  if (vkEnumerateInstanceExtensionProperties(nullptr, &count, all.data()) < 0) return false;
  for (const auto& extension : all)
    if (std::strcmp(extension.extensionName, name) == 0) return true;
  return false;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_for(VulkanLoaderLog* log) {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = keep_message;
  info.pUserData = log;
  return info;
}

VkResult create_instance(const VulkanInstanceOptions& options, VkInstance* instance) {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "seamscope";
  application.apiVersion = VK_API_VERSION_1_3;

  auto extensions = options.extensions;
  const auto messenger = messenger_for(options.log);
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (options.log && offers_extension(VK_EXT_DEBUG_UTILS_EXTENSION_NAME)) {
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    info.pNext = &messenger;
  }
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  info.enabledLayerCount = static_cast<uint32_t>(options.layers.size());
  info.ppEnabledLayerNames = options.layers.data();
  return vkCreateInstance(&info, nullptr, instance);
}

}  // namespace

Result<void> load_vulkan() {
  const std::lock_guard lock(load_mutex);
  if (loaded_library) return {};
  auto library = DynamicLibrary::open({"libvulkan.so.1", "libvulkan.so"});
  if (!library && library.error().damaged) return library.error();
  if (!library) {
    return Error{"The Vulkan loader libvulkan.so.1 cannot be opened.",
                 "Install the Vulkan loader (Debian, Ubuntu: apt install libvulkan1; RHEL, Fedora: vulkan-loader).",
                 library.error().detail};
  }
  PFN_vkGetInstanceProcAddr get_proc = nullptr;
  if (!library->load("vkGetInstanceProcAddr", get_proc)) {
    return Error{library->path() + " is no Vulkan loader: it has no vkGetInstanceProcAddr.",
                 "Reinstall the Vulkan loader (Debian, Ubuntu: apt install --reinstall libvulkan1).", "", true};
  }
  volkInitializeCustom(get_proc);
  library->keep_loaded();
  loaded_library.emplace(std::move(*library));
  return {};
}

const DynamicLibrary* vulkan_library() {
  const std::lock_guard lock(load_mutex);
  return loaded_library ? &*loaded_library : nullptr;
}

Result<VulkanInstance> VulkanInstance::create(const VulkanInstanceOptions& options) {
  if (auto loaded = load_vulkan(); !loaded) return loaded.error();
  VulkanInstance instance;
  const VkResult result = create_instance(options, &instance.instance_);
  if (options.log) options.log->result = result;
  if (result != VK_SUCCESS) {
    instance.instance_ = VK_NULL_HANDLE;
    return Error{"No Vulkan instance could be created: " + vk_result_text(result) + ".",
                 "Run \"Seamscope: Copy Report\" or `seamscope doctor` to see which driver the loader refused.",
                 vk_result_text(result)};
  }
  volkLoadInstance(instance.get());
  return Result<VulkanInstance>(std::move(instance));
}

VulkanInstance::~VulkanInstance() {
  if (instance_) vkDestroyInstance(instance_, nullptr);
}

Result<std::vector<VkPhysicalDevice>> VulkanInstance::physical_devices() const {
  uint32_t count = 0;
  VkResult result = vkEnumeratePhysicalDevices(instance_, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  if (result == VK_SUCCESS && count) result = vkEnumeratePhysicalDevices(instance_, &count, devices.data());
  if (result < 0) {
    return Error{"Vulkan devices cannot be listed: " + vk_result_text(result) + ".",
                 "Run `seamscope doctor` to see which driver failed.", vk_result_text(result)};
  }
  devices.resize(count);
  return devices;
}

uint32_t vulkan_instance_version() {
  return volkGetInstanceVersion();
}

}  // namespace seamscope
