#include "gpu/pipeline.hpp"

#include <vector>

#include "gpu/vulkan_error.hpp"

namespace seamscope::gpu {

Result<std::shared_ptr<ComputePipeline>> ComputePipeline::create(std::shared_ptr<Device> device,
                                                                 const PipelineDesc& desc) {
  std::shared_ptr<ComputePipeline> pipeline(new ComputePipeline(std::move(device), desc.uniform_buffers));
  if (auto made = pipeline->make_layout(desc); !made) return made.error();
  if (auto made = pipeline->make_pipeline(desc); !made) return made.error();
  return pipeline;
}

Result<void> ComputePipeline::make_layout(const PipelineDesc& desc) {
  std::vector<VkDescriptorSetLayoutBinding> bindings(desc.uniform_buffers + desc.storage_buffers);
  for (uint32_t i = 0; i < bindings.size(); ++i) bindings[i] = {i, type_of(i), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = static_cast<uint32_t>(bindings.size());
  set.pBindings = bindings.data();
  const auto& vk = device_->vk();
  VkResult result = vk.vkCreateDescriptorSetLayout(device_->handle(), &set, nullptr, &set_layout_);
  if (result != VK_SUCCESS) return vulkan_error("vkCreateDescriptorSetLayout", result);

  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, desc.push_bytes};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout_;
  layout.pushConstantRangeCount = desc.push_bytes ? 1 : 0;
  layout.pPushConstantRanges = &push;
  result = vk.vkCreatePipelineLayout(device_->handle(), &layout, nullptr, &layout_);
  return check("vkCreatePipelineLayout", result);
}

Result<void> ComputePipeline::make_pipeline(const PipelineDesc& desc) {
  const auto& vk = device_->vk();
  VkShaderModuleCreateInfo code{};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = desc.spirv.size_bytes();
  code.pCode = desc.spirv.data();
  VkShaderModule module = VK_NULL_HANDLE;
  VkResult result = vk.vkCreateShaderModule(device_->handle(), &code, nullptr, &module);
  if (result != VK_SUCCESS) return vulkan_error("vkCreateShaderModule", result);

  std::vector<VkSpecializationMapEntry> entries(desc.constants.size());
  for (uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, i * 4, 4};
  const VkSpecializationInfo constants{static_cast<uint32_t>(entries.size()), entries.data(),
                                       desc.constants.size_bytes(), desc.constants.data()};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &constants;
  info.layout = layout_;
  result = vk.vkCreateComputePipelines(device_->handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
  vk.vkDestroyShaderModule(device_->handle(), module, nullptr);
  return check("vkCreateComputePipelines", result);
}

ComputePipeline::~ComputePipeline() {
  if (device_->given_up()) return;
  const auto& vk = device_->vk();
  vk.vkDestroyPipeline(device_->handle(), pipeline_, nullptr);
  vk.vkDestroyPipelineLayout(device_->handle(), layout_, nullptr);
  vk.vkDestroyDescriptorSetLayout(device_->handle(), set_layout_, nullptr);
}

}  // namespace seamscope::gpu
