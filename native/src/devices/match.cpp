#include "devices/match.hpp"

#include <cstdio>

#include "devices/missing_partner.hpp"

namespace seamscope {
namespace {

constexpr uint32_t kNvidiaVendor = 0x10de;

// Only NVIDIA's own driver gives a device UUID that CUDA and NVML know; any other value is never compared.
bool comparable(const VulkanDevice& device) {
  return device.is_nvidia_driver && !device.is_cpu;
}

std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%04x", value);
  return text;
}

class Matcher {
 public:
  explicit Matcher(const DeviceSnapshot& facts) : facts_(facts) {}

  std::vector<DeviceMatch> run() {
    for (const auto& device : facts_.cuda.devices) add_cuda(device);
    for (const auto& device : facts_.vulkan.devices) add_vulkan(device);
    for (const auto& gpu : facts_.nvml.gpus) add_physical(gpu);
    for (auto& row : rows_) explain(row);
    return std::move(rows_);
  }

 private:
  void add_cuda(const CudaDevice& device) {
    DeviceMatch row;
    row.uuid = device.uuid;
    row.cuda_ordinal = device.ordinal;
    row.status = MatchStatus::CudaOnly;
    rows_.push_back(row);
  }

  void add_vulkan(const VulkanDevice& device) {
    if (comparable(device) && join_cuda(device)) return;
    DeviceMatch row;
    row.uuid = device.device_uuid;
    row.vulkan_index = device.index;
    row.status = MatchStatus::VulkanOnly;
    rows_.push_back(row);
  }

  // A GPU that two manifests list twice matches the same ordinal twice.
  bool join_cuda(const VulkanDevice& device) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].cuda_ordinal || rows_[i].uuid != device.device_uuid) continue;
      if (rows_[i].vulkan_index) rows_.push_back(rows_[i]);
      DeviceMatch& row = rows_[i].vulkan_index ? rows_.back() : rows_[i];
      row.vulkan_index = device.index;
      row.status = MatchStatus::Matched;
      return true;
    }
    return false;
  }

  void add_physical(const NvmlGpu& gpu) {
    const bool known = attach(gpu.uuid, gpu.index, std::nullopt);
    // A GPU in MIG mode is used through its instances, which have rows of their own.
    if (!known && gpu.instances.empty()) add_physical_row(gpu.uuid, gpu.index, std::nullopt);
    for (const auto& instance : gpu.instances)
      if (!attach(instance.uuid, gpu.index, instance.index)) add_physical_row(instance.uuid, gpu.index, instance.index);
  }

  bool attach(const std::optional<Uuid>& uuid, unsigned gpu, std::optional<unsigned> instance) {
    bool known = false;
    for (auto& row : rows_) {
      if (!uuid || row.uuid != uuid || !may_be_physical(row)) continue;
      row.gpu_index = gpu;
      row.mig_index = instance;
      known = true;
    }
    return known;
  }

  bool may_be_physical(const DeviceMatch& row) const {
    return row.cuda_ordinal || (row.vulkan_index && comparable(vulkan_of(row)));
  }

  void add_physical_row(const std::optional<Uuid>& uuid, unsigned gpu, std::optional<unsigned> instance) {
    DeviceMatch row;
    row.uuid = uuid;
    row.gpu_index = gpu;
    row.mig_index = instance;
    rows_.push_back(row);
  }

  void explain(DeviceMatch& row) const {
    if (row.status == MatchStatus::Matched) return;
    const MatchSubject subject = subject_of(row);
    if (row.status == MatchStatus::CudaOnly) {
      const auto& device = facts_.cuda.devices[static_cast<size_t>(*row.cuda_ordinal)];
      row.reasons = {device.uuid_reason ? *device.uuid_reason : why_no_vulkan_partner(facts_, subject)};
    } else if (row.status == MatchStatus::VulkanOnly) {
      row.reasons = {why_vulkan_only(vulkan_of(row), subject)};
    } else {
      const Reason cuda = why_no_cuda_partner(facts_, subject), vulkan = why_no_vulkan_partner(facts_, subject);
      row.reasons = {cuda};
      if (vulkan.code != cuda.code) row.reasons.push_back(vulkan);
    }
  }

  Reason why_vulkan_only(const VulkanDevice& device, const MatchSubject& subject) const {
    if (device.is_cpu) return make_reason(ReasonCode::CpuDriver, {device.name});
    if (device.vendor_id != kNvidiaVendor)
      return make_reason(ReasonCode::NotNvidia, {device.name, hex(device.vendor_id)});
    if (!device.is_nvidia_driver) return make_reason(ReasonCode::OtherDriverSameGpu, {device.name, device.driver_name});
    return why_no_cuda_partner(facts_, subject);
  }

  MatchSubject subject_of(const DeviceMatch& row) const {
    MatchSubject subject;
    subject.uuid = row.uuid;
    for (const auto& gpu : facts_.nvml.gpus) {
      if (row.gpu_index != gpu.index) continue;
      subject.gpu = &gpu;
      subject.pci = gpu.pci;
      for (const auto& instance : gpu.instances)
        if (row.mig_index == instance.index) subject.instance = &instance;
    }
    if (row.cuda_ordinal) subject.pci = facts_.cuda.devices[static_cast<size_t>(*row.cuda_ordinal)].pci;
    return subject;
  }

  const VulkanDevice& vulkan_of(const DeviceMatch& row) const {
    return facts_.vulkan.devices[static_cast<size_t>(*row.vulkan_index)];
  }

  const DeviceSnapshot& facts_;
  std::vector<DeviceMatch> rows_;
};

}  // namespace

std::vector<DeviceMatch> match_devices(const DeviceSnapshot& facts) {
  return Matcher(facts).run();
}

}  // namespace seamscope
