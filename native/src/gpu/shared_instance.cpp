#include "gpu/shared_instance.hpp"

#include <mutex>

namespace seamscope::gpu {

Result<std::shared_ptr<const VulkanInstance>> shared_instance() {
  static std::mutex mutex;
  static std::weak_ptr<const VulkanInstance> current;
  std::lock_guard lock(mutex);
  if (auto instance = current.lock()) return instance;
  auto created = VulkanInstance::create();
  if (!created) return created.error();
  auto instance = std::make_shared<const VulkanInstance>(*std::move(created));
  current = instance;
  return instance;
}

}  // namespace seamscope::gpu
