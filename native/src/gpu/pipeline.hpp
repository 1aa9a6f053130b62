#pragma once
// A compute pipeline whose interface is set 0, uniform buffers first, then storage buffers, and one block of push
// constants.

#include <volk.h>

#include <memory>
#include <span>

#include "base/result.hpp"
#include "gpu/device.hpp"

namespace seamscope::gpu {

struct PipelineDesc {
  std::span<const uint32_t> spirv;
  uint32_t uniform_buffers = 0;
  uint32_t storage_buffers = 0;
  uint32_t push_bytes = 0;
  std::span<const uint32_t> constants = {};  // specialization constants 0, 1, 2, ...
};

class ComputePipeline {
 public:
  static Result<std::shared_ptr<ComputePipeline>> create(std::shared_ptr<Device> device, const PipelineDesc& desc);
  ~ComputePipeline();
  ComputePipeline(const ComputePipeline&) = delete;
  ComputePipeline& operator=(const ComputePipeline&) = delete;

  VkPipeline handle() const { return pipeline_; }
  VkPipelineLayout layout() const { return layout_; }
  VkDescriptorSetLayout set_layout() const { return set_layout_; }
  // The descriptor type of a binding.
  VkDescriptorType type_of(uint32_t binding) const {
    return binding < uniform_buffers_ ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  }

 private:
  ComputePipeline(std::shared_ptr<Device> device, uint32_t uniform_buffers)
      : device_(std::move(device)), uniform_buffers_(uniform_buffers) {}
  Result<void> make_layout(const PipelineDesc& desc);
  Result<void> make_pipeline(const PipelineDesc& desc);

  std::shared_ptr<Device> device_;
  uint32_t uniform_buffers_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace seamscope::gpu
