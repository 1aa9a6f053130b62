#include "devices/gpu_processes.hpp"

#include <map>
#include <tuple>

namespace seamscope {
namespace {

using nvml::Api;
using nvml::nvmlDevice_t;
using nvml::nvmlProcessInfo_t;
using nvml::nvmlReturn_t;
using ListCall = decltype(Api::compute_processes);
// A process has an entry for each instance that it is on.
using Key = std::tuple<unsigned, unsigned, unsigned>;

constexpr size_t kUsual = 32, kMost = 4096;

// Processes may start between two calls: the list grows until NVML is content.
nvmlReturn_t list(const ListCall& call, nvmlDevice_t device, std::vector<nvmlProcessInfo_t>& processes) {
  for (size_t room = kUsual; room <= kMost; room *= 4) {
    processes.resize(room);
    auto count = static_cast<unsigned>(room);
    const auto code = call(device, &count, processes.data());
    if (code == nvml::NVML_ERROR_INSUFFICIENT_SIZE) continue;
    processes.resize(code == nvml::NVML_SUCCESS ? count : 0);
    return code;
  }
  processes.clear();
  return nvml::NVML_ERROR_INSUFFICIENT_SIZE;
}

class Collection {
 public:
  explicit Collection(const Api& api) : api_(api) {}

  // `owner`: the instance that was asked, whose ids NVML leaves out in its answer.
  nvmlReturn_t add(nvmlDevice_t device, const MigHandle* owner) {
    struct List {
      const ListCall& call;
      ProcessKind kind;
    };
    const List lists[] = {{api_.compute_processes, kComputeProcess},
                          {api_.graphics_processes, kGraphicsProcess},
                          {api_.mps_processes, kMpsProcess}};
    nvmlReturn_t first = nvml::NVML_SUCCESS;
    for (const auto& each : lists) {
      const auto code = list(each.call, device, found_);
      if (code != nvml::NVML_SUCCESS && code != nvml::NVML_ERROR_NOT_SUPPORTED &&
          code != nvml::NVML_ERROR_FUNCTION_NOT_FOUND)
        return code;
      if (code != nvml::NVML_SUCCESS) first = code;
      for (const auto& process : found_) merge(process, each.kind, owner);
    }
    return first;
  }

  std::vector<GpuProcess> take() const {
    std::vector<GpuProcess> list;
    for (const auto& [key, process] : processes_) list.push_back(process);
    return list;
  }

 private:
  void merge(const nvmlProcessInfo_t& info, ProcessKind kind, const MigHandle* owner) {
    const bool named = info.gpuInstanceId != nvml::kNoInstance;
    const unsigned gpu_instance = named || !owner ? info.gpuInstanceId : owner->gpu_instance_id;
    const unsigned compute_instance = named || !owner ? info.computeInstanceId : owner->compute_instance_id;
    GpuProcess& process = processes_[Key{info.pid, gpu_instance, compute_instance}];
    process.pid = info.pid;
    process.kinds |= kind;
    if (info.usedGpuMemory != nvml::kNotAvailable) process.memory_bytes = info.usedGpuMemory;
    if (gpu_instance == nvml::kNoInstance) return;
    process.gpu_instance_id = gpu_instance;
    process.compute_instance_id = compute_instance;
  }

  const Api& api_;
  std::vector<nvmlProcessInfo_t> found_;
  std::map<Key, GpuProcess> processes_;
};

}  // namespace

std::vector<GpuProcess> read_processes(const Api& api, nvmlDevice_t gpu, const std::vector<MigHandle>& instances,
                                       NvmlProblems& problems) {
  if (problems.lost()) return {};
  Collection collection(api);
  const auto code = collection.add(gpu, nullptr);
  if (code != nvml::NVML_ERROR_NO_PERMISSION || instances.empty()) {
    problems.ok(code, "the processes");
    return collection.take();
  }
  for (const auto& instance : instances) {
    const std::string subject = "the processes of GPU instance " + std::to_string(instance.gpu_instance_id);
    problems.ok(collection.add(instance.handle, &instance), subject);
  }
  return collection.take();
}

}  // namespace seamscope
