import { table } from './table';

export const vulkan = table(
  'vulkan',
  'VkResult',
  `
vkCreateInstance(info:VkInstanceCreateInfo, allocator, instance*) create
vkDestroyInstance(instance, allocator) destroy -> void
vkEnumeratePhysicalDevices(instance, count*, devices*) enumerate
vkEnumeratePhysicalDeviceGroups(instance, count*, groups*) enumerate
vkGetPhysicalDeviceProperties(physicalDevice, properties*) query -> void
vkGetPhysicalDeviceProperties2(physicalDevice, properties*) query -> void
vkCreateDevice(physicalDevice, info:VkDeviceCreateInfo, allocator, device*) create
vkDestroyDevice(device, allocator) destroy -> void
vkDeviceWaitIdle(device) sync
vkGetDeviceQueue(device, family, index, queue*) query -> void
vkQueueWaitIdle(queue) sync
vkQueueSubmit(queue, count, info:VkSubmitInfo, fence) submit
vkQueueSubmit2(queue, count, info:VkSubmitInfo2, fence) submit
vkQueuePresent(queue, info:VkPresentInfoKHR) submit
vkAllocateMemory(device, info:VkMemoryAllocateInfo, allocator, memory*) alloc
vkFreeMemory(device, memory, allocator) free -> void
vkMapMemory(device, memory, offset, size, flags, ptr*) map
vkUnmapMemory(device, memory) unmap -> void
vkGetMemoryFd(device, info:VkMemoryGetFdInfoKHR, fd*) export
vkGetMemoryWin32Handle(device, info:VkMemoryGetWin32HandleInfoKHR, handle*) export
vkGetMemoryFdProperties(device, handleType, fd, properties*) query
vkGetSemaphoreFd(device, info:VkSemaphoreGetFdInfoKHR, fd*) export
vkGetSemaphoreWin32Handle(device, info:VkSemaphoreGetWin32HandleInfoKHR, handle*) export
vkGetFenceFd(device, info:VkFenceGetFdInfoKHR, fd*) export
vkGetFenceWin32Handle(device, info:VkFenceGetWin32HandleInfoKHR, handle*) export
vkImportSemaphoreFd(device, info:VkImportSemaphoreFdInfoKHR) import
vkImportSemaphoreWin32Handle(device, info:VkImportSemaphoreWin32HandleInfoKHR) import
vkImportFenceFd(device, info:VkImportFenceFdInfoKHR) import
vkImportFenceWin32Handle(device, info:VkImportFenceWin32HandleInfoKHR) import
vkExportMetalObjects(device, info:VkExportMetalObjectsInfoEXT) export -> void
vkGetImageMemoryRequirements(device, image, requirements*) query -> void
vkGetImageMemoryRequirements2(device, info, requirements*) query -> void
vkGetBufferMemoryRequirements(device, buffer, requirements*) query -> void
vkGetBufferMemoryRequirements2(device, info, requirements*) query -> void
vkCreateImage(device, info:VkImageCreateInfo, allocator, image*) create
vkDestroyImage(device, image, allocator) destroy -> void
vkCreateImageView(device, info:VkImageViewCreateInfo, allocator, view*) create
vkDestroyImageView(device, view, allocator) destroy -> void
vkCreateBuffer(device, info:VkBufferCreateInfo, allocator, buffer*) create
vkDestroyBuffer(device, buffer, allocator) destroy -> void
vkCreateBufferView(device, info, allocator, view*) create
vkDestroyBufferView(device, view, allocator) destroy -> void
vkBindImageMemory(device, image, memory, offset) bind
vkBindImageMemory2(device, count, info:VkBindImageMemoryInfo) bind
vkBindBufferMemory(device, buffer, memory, offset) bind
vkCreateSampler(device, info, allocator, sampler*) create
vkDestroySampler(device, sampler, allocator) destroy -> void
vkCreateSemaphore(device, info:VkSemaphoreCreateInfo, allocator, semaphore*) create
vkDestroySemaphore(device, semaphore, allocator) destroy -> void
vkWaitSemaphores(device, info:VkSemaphoreWaitInfo, timeout) sync
vkSignalSemaphore(device, info:VkSemaphoreSignalInfo) signal
vkGetSemaphoreCounterValue(device, semaphore, value*) query
vkCreateFence(device, info, allocator, fence*) create
vkDestroyFence(device, fence, allocator) destroy -> void
vkWaitForFences(device, count, fence, all, timeout) sync
vkResetFences(device, count, fence) reset
vkGetFenceStatus(device, fence) query
vkCreateEvent(device, info, allocator, event*) create
vkDestroyEvent(device, event, allocator) destroy -> void
vkCreateCommandPool(device, info, allocator, pool*) create
vkDestroyCommandPool(device, pool, allocator) destroy -> void
vkResetCommandPool(device, pool, flags) reset
vkAllocateCommandBuffers(device, info:VkCommandBufferAllocateInfo, commandBuffer*) alloc
vkFreeCommandBuffers(device, pool, count, commandBuffer) free -> void
vkBeginCommandBuffer(commandBuffer, info) begin
vkEndCommandBuffer(commandBuffer) end
vkResetCommandBuffer(commandBuffer, flags) reset
vkCmdPipelineBarrier(commandBuffer, srcStage, dstStage, flags, memoryCount, memoryBarriers, bufferCount, bufferBarriers, imageCount, imageBarriers) barrier -> void
vkCmdPipelineBarrier2(commandBuffer, info:VkDependencyInfo) barrier -> void
vkCmdCopyImage(commandBuffer, src, srcLayout, dst, dstLayout, count, regions) copy -> void
vkCmdCopyBuffer(commandBuffer, src, dst, count, regions) copy -> void
vkCmdBindDescriptorSets(commandBuffer, point, layout, first, count, sets, dynamicCount, offsets) bind -> void
vkCmdExecuteCommands(commandBuffer, count, buffers) launch -> void
vkCreateDescriptorPool(device, info, allocator, pool*) create
vkDestroyDescriptorPool(device, pool, allocator) destroy -> void
vkCreateDescriptorSetLayout(device, info, allocator, layout*) create
vkDestroyDescriptorSetLayout(device, layout, allocator) destroy -> void
vkAllocateDescriptorSets(device, info, sets*) alloc
vkFreeDescriptorSets(device, pool, count, sets) free
vkUpdateDescriptorSets(device, writeCount, writes:VkWriteDescriptorSet, copyCount, copies) update -> void
vkCreatePipelineLayout(device, info, allocator, layout*) create
vkDestroyPipelineLayout(device, layout, allocator) destroy -> void
vkCreateGraphicsPipelines(device, cache, count, infos, allocator, pipeline*) create
vkCreateComputePipelines(device, cache, count, infos, allocator, pipeline*) create
vkDestroyPipeline(device, pipeline, allocator) destroy -> void
vkCreateShaderModule(device, info, allocator, module*) create
vkDestroyShaderModule(device, module, allocator) destroy -> void
vkCreatePipelineCache(device, info, allocator, cache*) create
vkDestroyPipelineCache(device, cache, allocator) destroy -> void
vkCreateQueryPool(device, info, allocator, pool*) create
vkDestroyQueryPool(device, pool, allocator) destroy -> void
vkCreateRenderPass(device, info, allocator, renderPass*) create
vkDestroyRenderPass(device, renderPass, allocator) destroy -> void
vkCreateFramebuffer(device, info, allocator, framebuffer*) create
vkDestroyFramebuffer(device, framebuffer, allocator) destroy -> void
vkCreateSwapchain(device, info, allocator, swapchain*) create
vkDestroySwapchain(device, swapchain, allocator) destroy -> void
vkDestroySurface(instance, surface, allocator) destroy -> void
vkGetSwapchainImages(device, swapchain, count*, images*) query
vkCreateDebugUtilsMessenger(instance, info, allocator, messenger*) create
vkDestroyDebugUtilsMessenger(instance, messenger, allocator) destroy -> void
vkDestroyDebugReportCallback(instance, callback, allocator) destroy -> void
vkAcquireNextImage(device, swapchain, timeout, semaphore, fence, index*) acquire
`,
);

export const vma = table(
  'vma',
  'VkResult',
  `
vmaCreateAllocator(info, allocator*) create
vmaDestroyAllocator(allocator) destroy -> void
vmaCreateImage(allocator, imageInfo:VkImageCreateInfo, info, image*, allocation*, allocationInfo*) create alloc
vmaDestroyImage(allocator, image, allocation) destroy free -> void
vmaCreateBuffer(allocator, bufferInfo:VkBufferCreateInfo, info, buffer*, allocation*, allocationInfo*) create alloc
vmaDestroyBuffer(allocator, buffer, allocation) destroy free -> void
vmaAllocateMemory(allocator, requirements, info, allocation*, allocationInfo*) alloc
vmaFreeMemory(allocator, allocation) free -> void
vmaMapMemory(allocator, allocation, ptr*) map
vmaUnmapMemory(allocator, allocation) unmap -> void
vmaGetMemoryWin32Handle(allocator, allocation, process, handle*) export
vmaGetAllocationInfo(allocator, allocation, allocationInfo*) query -> void
vmaGetAllocationInfo2(allocator, allocation, allocationInfo*) query -> void
`,
);

/** vulkan.hpp members whose C function does not follow from the name. */
export const hppAliases: Readonly<Record<string, string>> = {
  submit: 'vkQueueSubmit',
  submit2: 'vkQueueSubmit2',
  waitIdle: 'vkDeviceWaitIdle',
  pipelineBarrier: 'vkCmdPipelineBarrier',
  pipelineBarrier2: 'vkCmdPipelineBarrier2',
  copyImage: 'vkCmdCopyImage',
  copyBuffer: 'vkCmdCopyBuffer',
  presentKHR: 'vkQueuePresent',
};

/** Parameters that vulkan.hpp takes from the object of the call. */
export const dispatchable = new Set(['instance', 'physicalDevice', 'device', 'queue', 'commandBuffer']);
