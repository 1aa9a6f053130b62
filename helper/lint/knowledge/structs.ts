// Field order of the structs that the seam's code fills with brace lists. Nested anonymous unions are spelled `handle.fd`.

const sType = ['sType', 'pNext'];

const vulkan: Record<string, string> = {
  VkMemoryAllocateInfo: 'allocationSize memoryTypeIndex',
  VkExportMemoryAllocateInfo: 'handleTypes',
  VkImportMemoryFdInfoKHR: 'handleType fd',
  VkImportMemoryWin32HandleInfoKHR: 'handleType handle name',
  VkMemoryGetFdInfoKHR: 'memory handleType',
  VkMemoryGetWin32HandleInfoKHR: 'memory handleType',
  VkMemoryDedicatedAllocateInfo: 'image buffer',
  VkMemoryAllocateFlagsInfo: 'flags deviceMask',
  VkMemoryDedicatedRequirements: 'prefersDedicatedAllocation requiresDedicatedAllocation',
  VkMemoryRequirements2: 'memoryRequirements',
  VkExternalMemoryImageCreateInfo: 'handleTypes',
  VkExternalMemoryBufferCreateInfo: 'handleTypes',
  VkPhysicalDeviceExternalBufferInfo: 'flags usage handleType',
  VkPhysicalDeviceExternalImageFormatInfo: 'handleType',
  VkPhysicalDeviceExternalSemaphoreInfo: 'handleType',
  VkExportSemaphoreCreateInfo: 'handleTypes',
  VkExportFenceCreateInfo: 'handleTypes',
  VkSemaphoreCreateInfo: 'flags',
  VkSemaphoreTypeCreateInfo: 'semaphoreType initialValue',
  VkSemaphoreGetFdInfoKHR: 'semaphore handleType',
  VkSemaphoreGetWin32HandleInfoKHR: 'semaphore handleType',
  VkImportSemaphoreFdInfoKHR: 'semaphore flags handleType fd',
  VkImportSemaphoreWin32HandleInfoKHR: 'semaphore flags handleType handle name',
  VkFenceGetFdInfoKHR: 'fence handleType',
  VkImportFenceFdInfoKHR: 'fence flags handleType fd',
  VkSemaphoreWaitInfo: 'flags semaphoreCount pSemaphores pValues',
  VkSemaphoreSignalInfo: 'semaphore value',
  VkSemaphoreSubmitInfo: 'semaphore value stageMask deviceIndex',
  VkTimelineSemaphoreSubmitInfo: 'waitSemaphoreValueCount pWaitSemaphoreValues signalSemaphoreValueCount pSignalSemaphoreValues',
  VkSubmitInfo: 'waitSemaphoreCount pWaitSemaphores pWaitDstStageMask commandBufferCount pCommandBuffers signalSemaphoreCount pSignalSemaphores',
  VkSubmitInfo2:
    'flags waitSemaphoreInfoCount pWaitSemaphoreInfos commandBufferInfoCount pCommandBufferInfos signalSemaphoreInfoCount pSignalSemaphoreInfos',
  VkCommandBufferSubmitInfo: 'commandBuffer deviceMask',
  VkImageMemoryBarrier: 'srcAccessMask dstAccessMask oldLayout newLayout srcQueueFamilyIndex dstQueueFamilyIndex image subresourceRange',
  VkImageMemoryBarrier2:
    'srcStageMask srcAccessMask dstStageMask dstAccessMask oldLayout newLayout srcQueueFamilyIndex dstQueueFamilyIndex image subresourceRange',
  VkBufferMemoryBarrier: 'srcAccessMask dstAccessMask srcQueueFamilyIndex dstQueueFamilyIndex buffer offset size',
  VkBufferMemoryBarrier2: 'srcStageMask srcAccessMask dstStageMask dstAccessMask srcQueueFamilyIndex dstQueueFamilyIndex buffer offset size',
  VkWriteDescriptorSet: 'dstSet dstBinding dstArrayElement descriptorCount descriptorType pImageInfo pBufferInfo pTexelBufferView',
  VkImageCreateInfo:
    'flags imageType format extent mipLevels arrayLayers samples tiling usage sharingMode queueFamilyIndexCount pQueueFamilyIndices initialLayout',
  VkBufferCreateInfo: 'flags size usage sharingMode queueFamilyIndexCount pQueueFamilyIndices',
  VkInstanceCreateInfo: 'flags pApplicationInfo enabledLayerCount ppEnabledLayerNames enabledExtensionCount ppEnabledExtensionNames',
  VkDeviceCreateInfo:
    'flags queueCreateInfoCount pQueueCreateInfos enabledLayerCount ppEnabledLayerNames enabledExtensionCount ppEnabledExtensionNames pEnabledFeatures',
  VkCommandBufferAllocateInfo: 'commandPool level commandBufferCount',
  VkPhysicalDeviceProperties2: 'properties',
  VkExportMetalObjectsInfoEXT: '',
};

const plain: Record<string, string> = {
  VkDescriptorBufferInfo: 'buffer offset range',
  VkDescriptorImageInfo: 'sampler imageView imageLayout',
  VkMemoryRequirements: 'size alignment memoryTypeBits',
  cudaExternalMemoryHandleDesc: 'type handle size flags',
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC: 'type handle size flags',
  cudaExternalMemoryBufferDesc: 'offset size flags',
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC: 'offset size flags',
  cudaExternalMemoryMipmappedArrayDesc: 'offset formatDesc extent flags numLevels',
  CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC: 'offset arrayDesc numLevels',
  cudaExternalSemaphoreHandleDesc: 'type handle flags',
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC: 'type handle flags',
  pollfd: 'fd events revents',
  ovrtx_cuda_sync_t: 'stream wait_event',
  ovrtx_map_output_description_t: 'device_type sync_stream',
  DLTensor: 'data device ndim dtype shape strides byte_offset',
  DLManagedTensor: 'dl_tensor manager_ctx deleter',
  DLManagedTensorVersioned: 'version manager_ctx deleter flags dl_tensor',
};

const order = new Map<string, readonly string[]>();
for (const [type, fields] of Object.entries(vulkan)) order.set(type, [...sType, ...fields.split(' ').filter(Boolean)]);
for (const [type, fields] of Object.entries(plain)) order.set(type, fields.split(' '));
// vulkan.hpp drops the prefix and, in its constructors, sType; pNext comes last there and is rarely passed by position.
for (const type of Object.keys(vulkan)) order.set(`vk::${type.slice(2)}`, order.get(type)!.slice(2));

/** Types whose first member of a nested union is reached by an inner brace list: `{type, {fd}, size}`. */
export const unionFirst: Readonly<Record<string, string>> = { handle: 'fd' };

/** The field names of a descriptor struct in order of declaration; undefined when the type is unknown. */
export function fieldOrder(type: string): readonly string[] | undefined {
  return order.get(bareType(type));
}

/** `const struct VkSubmitInfo&` is `VkSubmitInfo`; version suffixes of CUDA structs are dropped. */
export function bareType(type: string): string {
  return type
    .replace(/\b(const|struct|static|volatile)\b/g, '')
    .replace(/[*&\s]|\[\]/g, '')
    .replace(/_(st|v\d+)$/, '');
}
