// The one place that compiles volk: global Vulkan function pointers, filled by load_vulkan() and VulkanInstance.
#define VOLK_IMPLEMENTATION
#include <volk.h>
