/* Frames in a Vulkan image, drawn by a compute shader. The copy for the preview is recorded into the program's own
 * command buffer and runs on the program's own queue.
 *
 *   cc -O2 vulkan.c -o vulkan && ./vulkan    (needs Vulkan's headers; glibc before 2.34: add -pthread -ldl) */
#define SEAMSCOPE_IMPLEMENTATION
#include "../seamscope.h"
#include "pattern.h"
#include "pattern_spv.h"
#include "vulkan_setup.h"

typedef struct {
  VkImage image;
  VkDeviceMemory memory;
  VkImageView view;
  VkShaderModule shader;
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkDescriptorPool sets;
  VkDescriptorSet set;
} picture;

static void create_image(const vulkan_setup* vk, picture* target, const example_options* options) {
  VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                            .imageType = VK_IMAGE_TYPE_2D,
                            .format = VK_FORMAT_R8G8B8A8_UNORM,
                            .extent = {options->width, options->height, 1},
                            .mipLevels = 1,
                            .arrayLayers = 1,
                            .samples = VK_SAMPLE_COUNT_1_BIT,
                            /* TRANSFER_SRC is what the publisher asks of an image. */
                            .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
  VULKAN_CHECK(vkCreateImage(vk->device, &info, NULL, &target->image));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(vk->device, target->image, &needs);
  VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = needs.size,
                                 .memoryTypeIndex = vulkan_memory_type(vk, needs.memoryTypeBits)};
  VULKAN_CHECK(vkAllocateMemory(vk->device, &memory, NULL, &target->memory));
  VULKAN_CHECK(vkBindImageMemory(vk->device, target->image, target->memory, 0));
  VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                .image = target->image,
                                .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                .format = info.format,
                                .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  VULKAN_CHECK(vkCreateImageView(vk->device, &view, NULL, &target->view));
}

static void create_pipeline(const vulkan_setup* vk, picture* target) {
  VkShaderModuleCreateInfo shader = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof pattern_spv, .pCode = pattern_spv};
  VULKAN_CHECK(vkCreateShaderModule(vk->device, &shader, NULL, &target->shader));
  VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
  VkDescriptorSetLayoutCreateInfo set = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
  VULKAN_CHECK(vkCreateDescriptorSetLayout(vk->device, &set, NULL, &target->set_layout));
  VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)};
  VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = 1,
                                       .pSetLayouts = &target->set_layout,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &push};
  VULKAN_CHECK(vkCreatePipelineLayout(vk->device, &layout, NULL, &target->layout));
  VkComputePipelineCreateInfo pipeline = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                          .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                    .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                    .module = target->shader,
                                                    .pName = "main"},
                                          .layout = target->layout};
  VULKAN_CHECK(vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &target->pipeline));
}

static void create_set(const vulkan_setup* vk, picture* target) {
  VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1};
  VkDescriptorPoolCreateInfo pool = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
  VULKAN_CHECK(vkCreateDescriptorPool(vk->device, &pool, NULL, &target->sets));
  VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                      .descriptorPool = target->sets,
                                      .descriptorSetCount = 1,
                                      .pSetLayouts = &target->set_layout};
  VULKAN_CHECK(vkAllocateDescriptorSets(vk->device, &info, &target->set));
  VkDescriptorImageInfo image = {VK_NULL_HANDLE, target->view, VK_IMAGE_LAYOUT_GENERAL};
  VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                .dstSet = target->set,
                                .descriptorCount = 1,
                                .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                                .pImageInfo = &image};
  vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
}

/* The whole image anew in each frame, so its old contents may go. */
static void draw(const vulkan_setup* vk, const picture* target, const example_options* options, uint32_t frame) {
  VkImageMemoryBarrier fresh = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                .dstAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                .image = target->image,
                                .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  vkCmdPipelineBarrier(vk->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL,
                       0, NULL, 1, &fresh);
  vkCmdBindPipeline(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, target->pipeline);
  vkCmdBindDescriptorSets(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, target->layout, 0, 1, &target->set, 0, NULL);
  vkCmdPushConstants(vk->commands, target->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof frame, &frame);
  vkCmdDispatch(vk->commands, (options->width + 7) / 8, (options->height + 7) / 8, 1);
}

static void destroy_picture(const vulkan_setup* vk, const picture* target) {
  vkDestroyDescriptorPool(vk->device, target->sets, NULL);
  vkDestroyPipeline(vk->device, target->pipeline, NULL);
  vkDestroyPipelineLayout(vk->device, target->layout, NULL);
  vkDestroyDescriptorSetLayout(vk->device, target->set_layout, NULL);
  vkDestroyShaderModule(vk->device, target->shader, NULL);
  vkDestroyImageView(vk->device, target->view, NULL);
  vkDestroyImage(vk->device, target->image, NULL);
  vkFreeMemory(vk->device, target->memory, NULL);
}

int main(int count, char** arguments) {
  const example_options options = example_parse(count, arguments);
  vulkan_setup vk = {0};
  picture target = {0};
  uint32_t extension_count = 0;
  vulkan_create_instance(&vk);
  vulkan_choose(&vk, NULL);
  const char* const* extensions = seamscope_vulkan_extensions(SEAMSCOPE_VULKAN_DEVICE, &extension_count);
  vulkan_create_device(&vk, extensions, extension_count);
  create_image(&vk, &target, &options);
  create_pipeline(&vk, &target);
  create_set(&vk, &target);

  const seamscope_vulkan_desc device = {vk.instance, vk.physical, vk.device, 0, (void (*)(void))vkGetInstanceProcAddr};
  seamscope_vulkan* preview = seamscope_vulkan_open(&device);
  for (uint32_t frame = 0; example_next(&options, frame); ++frame) {
    vulkan_begin(&vk);
    draw(&vk, &target, &options, frame);

    seamscope_frame_desc image = {0};
    image.width = options.width;
    image.height = options.height;
    seamscope_vulkan_source source = {0};
    source.image = target.image;
    source.layout = VK_IMAGE_LAYOUT_GENERAL;
    source.format = VK_FORMAT_R8G8B8A8_UNORM;
    const uint64_t ticket = seamscope_vulkan_record(preview, vk.commands, "color", &source, &image);
    vulkan_submit(&vk);
    seamscope_vulkan_submitted(ticket, NULL, NULL, 0);
    vulkan_wait(&vk);
  }
  vkDeviceWaitIdle(vk.device);
  seamscope_vulkan_close(preview); /* before the device goes */
  seamscope_close();
  destroy_picture(&vk, &target);
  vulkan_destroy(&vk);
  return 0;
}
