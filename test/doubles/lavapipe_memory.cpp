#include "lavapipe_memory.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <array>
#include <cstring>
#include <vector>

namespace doubles {
namespace {

struct Header {
  uint64_t file_bytes, offset;
  unsigned char driver[16];
};

std::vector<unsigned char> first_page;  // of a file that lavapipe wrote itself

template <typename Function>
Function entry(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

struct Loader {
  void* library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
#define ENTRY(name) PFN_##name name = library ? entry<PFN_##name>(library, #name) : nullptr
  ENTRY(vkCreateInstance);
  ENTRY(vkDestroyInstance);
  ENTRY(vkEnumeratePhysicalDevices);
  ENTRY(vkGetPhysicalDeviceProperties);
  ENTRY(vkCreateDevice);
  ENTRY(vkDestroyDevice);
  ENTRY(vkAllocateMemory);
  ENTRY(vkFreeMemory);
  ENTRY(vkGetDeviceProcAddr);
#undef ENTRY
};

VkPhysicalDevice find_cpu_device(const Loader& vk, VkInstance instance) {
  std::array<VkPhysicalDevice, 16> devices{};
  uint32_t count = devices.size();
  if (vk.vkEnumeratePhysicalDevices(instance, &count, devices.data()) < 0) return VK_NULL_HANDLE;
  for (uint32_t i = 0; i < count; ++i) {
    VkPhysicalDeviceProperties properties{};
    vk.vkGetPhysicalDeviceProperties(devices[i], &properties);
    if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) return devices[i];
  }
  return VK_NULL_HANDLE;
}

void read_page(const Loader& vk, VkDevice device) {
  VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr,
                                      VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported, 4096, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  if (vk.vkAllocateMemory(device, &info, nullptr, &memory) != VK_SUCCESS) return;
  const auto get_fd = reinterpret_cast<PFN_vkGetMemoryFdKHR>(vk.vkGetDeviceProcAddr(device, "vkGetMemoryFdKHR"));
  VkMemoryGetFdInfoKHR request{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr, memory,
                               VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  int fd = -1;
  if (get_fd && get_fd(device, &request, &fd) == VK_SUCCESS) {
    first_page.resize(kLavapipeOffset);
    if (pread(fd, first_page.data(), first_page.size(), 0) != static_cast<ssize_t>(first_page.size()))
      first_page.clear();
    close(fd);
  }
  vk.vkFreeMemory(device, memory, nullptr);
}

void ask_device(const Loader& vk, VkPhysicalDevice physical) {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  const char* extension = "VK_KHR_external_memory_fd";
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = &extension;
  VkDevice device = VK_NULL_HANDLE;
  if (vk.vkCreateDevice(physical, &info, nullptr, &device) != VK_SUCCESS) return;
  read_page(vk, device);
  vk.vkDestroyDevice(device, nullptr);
}

}  // namespace

void learn_lavapipe_header() {
  static bool asked = false;
  if (asked) return;
  asked = true;
  const Loader vk;
  if (!vk.vkCreateInstance) return;
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  if (vk.vkCreateInstance(&info, nullptr, &instance) != VK_SUCCESS) return;
  if (const auto device = find_cpu_device(vk, instance)) ask_device(vk, device);
  vk.vkDestroyInstance(instance, nullptr);
}

bool map_lavapipe_memory(int fd, Mapping* mapping) {
  struct stat status {};
  Header header{};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if (pread(fd, &header, sizeof header, 0) != sizeof header) return false;
  if (header.offset != kLavapipeOffset || header.file_bytes != static_cast<uint64_t>(status.st_size)) return false;
  mapping->length = header.file_bytes;
  mapping->base = mmap(nullptr, mapping->length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapping->base == MAP_FAILED) return false;
  mapping->data = static_cast<char*>(mapping->base) + header.offset;
  mapping->bytes = header.file_bytes - header.offset;
  return true;
}

int create_lavapipe_memory(size_t bytes) {
  if (first_page.empty()) return -1;
  const int fd = memfd_create("double-cuda", MFD_CLOEXEC);
  if (fd < 0) return -1;
  auto page = first_page;
  const uint64_t file_bytes = kLavapipeOffset + bytes;
  std::memcpy(page.data(), &file_bytes, sizeof file_bytes);
  if (ftruncate(fd, static_cast<off_t>(file_bytes)) == 0 &&
      pwrite(fd, page.data(), page.size(), 0) == static_cast<ssize_t>(page.size()))
    return fd;
  close(fd);
  return -1;
}

}  // namespace doubles
