#include "devices/nvml_links.hpp"

#include <algorithm>
#include <map>

#include "devices/nvml_problems.hpp"
#include "devices/pci.hpp"

namespace seamscope {
namespace {

using nvml::Api;
using nvml::nvmlDevice_t;

// The NVLinks of one GPU that are up: to another GPU by its PCI address, and to switches.
struct Ports {
  std::map<std::string, unsigned> to_gpus;
  unsigned to_switches = 0;
};

Ports ports_of(const Api& api, nvmlDevice_t gpu, NvmlProblems& problems) {
  Ports ports;
  for (unsigned link = 0; link < nvml::kNvLinks; ++link) {
    unsigned up = 0;
    int type = -1;
    nvml::nvmlPciInfo_t remote{};
    const std::string subject = "NVLink " + std::to_string(link);
    const auto code = api.nvlink_state(gpu, link, &up);
    // Beyond the links that this GPU has.
    if (code == nvml::NVML_ERROR_INVALID_ARGUMENT || code == nvml::NVML_ERROR_NOT_SUPPORTED) break;
    if (!problems.ok(code, subject) || !up) continue;
    const auto told = api.nvlink_remote_type(gpu, link, &type);
    if (told == nvml::NVML_SUCCESS && type == nvml::kNvLinkToSwitch) ++ports.to_switches;
    // Drivers that cannot tell what is at the other end know no switches.
    else if ((told == nvml::NVML_ERROR_FUNCTION_NOT_FOUND || problems.ok(told, subject)) &&
             problems.ok(api.nvlink_remote(gpu, link, &remote), subject))
      ++ports.to_gpus[normal_pci(remote.busId)];
  }
  return ports;
}

const char* path_name(int level) {
  constexpr const char* kNames[] = {"same-board", "pcie-switch", "pcie-switches", "host-bridge", "numa-node", "system"};
  const bool known = level >= 0 && level <= 50 && level % 10 == 0;
  return known ? kNames[level / 10] : "unknown";
}

std::string peer_text(int status) {
  constexpr const char* kTexts[] = {"ok",
                                    "the chipset does not support it",
                                    "the GPU does not support it",
                                    "the I/O hub's topology does not support it",
                                    "disabled by a registry key",
                                    "not supported",
                                    "unknown"};
  constexpr int count = sizeof(kTexts) / sizeof(kTexts[0]);
  return status >= 0 && status < count ? kTexts[status] : "unknown";
}

struct Node {
  NvmlGpu* gpu;
  nvmlDevice_t handle = nullptr;
  Ports ports;
};

GpuLink link_between(const Api& api, const Node& a, const Node& b) {
  GpuLink link;
  link.a = a.gpu->index;
  link.b = b.gpu->index;
  if (!a.handle || !b.handle) return link;
  int value = 0;
  NvmlProblems problems(api, a.gpu->name, a.gpu->problems);
  const std::string subject = "the way to GPU " + std::to_string(b.gpu->index);
  if (problems.ok(api.common_ancestor(a.handle, b.handle, &value), subject)) link.path = path_name(value);
  if (problems.ok(api.peer_status(a.handle, b.handle, nvml::kPeerRead, &value), subject))
    link.peer_read = peer_text(value);
  const auto direct = a.ports.to_gpus.find(b.gpu->pci);
  if (direct != a.ports.to_gpus.end()) {
    link.nvlinks = direct->second;
  } else {
    link.nvlinks = std::min(a.ports.to_switches, b.ports.to_switches);
    link.through_switch = link.nvlinks > 0;
  }
  return link;
}

}  // namespace

std::vector<GpuLink> read_links(const Api& api, std::vector<NvmlGpu>& gpus) {
  std::vector<GpuLink> links;
  if (gpus.size() < 2) return links;
  std::vector<Node> nodes;
  for (auto& gpu : gpus) {
    Node node{&gpu, nullptr, {}};
    NvmlProblems problems(api, gpu.name, gpu.problems);
    // A GPU without UUID was denied already.
    if (gpu.uuid && problems.ok(api.device_by_index(gpu.index, &node.handle), gpu.name))
      node.ports = ports_of(api, node.handle, problems);
    else
      node.handle = nullptr;
    nodes.push_back(std::move(node));
  }
  for (size_t a = 0; a < nodes.size(); ++a)
    for (size_t b = a + 1; b < nodes.size(); ++b) links.push_back(link_between(api, nodes[a], nodes[b]));
  return links;
}

}  // namespace seamscope
