#include "visible.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace doubles {
namespace {

constexpr int kDriverWithSeveralInstances = 570;

std::vector<const Gpu*> ordered_gpus() {
  std::vector<const Gpu*> gpus;
  for (const auto& gpu : machine().gpus) gpus.push_back(&gpu);
  const char* order = std::getenv("CUDA_DEVICE_ORDER");
  const bool by_address = order && std::strcmp(order, "PCI_BUS_ID") == 0;
  std::stable_sort(gpus.begin(), gpus.end(),
                   [&](const Gpu* a, const Gpu* b) { return by_address ? a->pci < b->pci : a->sms > b->sms; });
  return gpus;
}

// One compute instance of each GPU instance: the others can only be had by UUID.
std::vector<Unit> default_units() {
  std::vector<Unit> units;
  for (const auto* gpu : ordered_gpus()) {
    if (!gpu->mig_current) units.push_back({gpu, nullptr});
    std::optional<unsigned> last;
    for (const auto& instance : gpu->instances) {
      if (gpu->mig_current && last != instance.gpu_instance) units.push_back({gpu, &instance});
      last = instance.gpu_instance;
    }
  }
  return units;
}

std::vector<Unit> all_units() {
  std::vector<Unit> units;
  for (const auto& gpu : machine().gpus) {
    if (!gpu.mig_current) units.push_back({&gpu, nullptr});
    for (const auto& instance : gpu.instances) units.push_back({&gpu, &instance});
  }
  return units;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

bool is_named(const std::string& entry, const Unit& unit) {
  if (!unit.instance) return entry.size() > 4 && ("GPU-" + unit.gpu->uuid).rfind(entry, 0) == 0;
  const std::string old_form = "MIG-GPU-" + unit.gpu->uuid + "/" + std::to_string(unit.instance->gpu_instance) + "/" +
                               std::to_string(unit.instance->compute_instance);
  return entry == "MIG-" + unit.instance->uuid || entry == old_form;
}

std::optional<Unit> unit_of(const std::string& entry) {
  if (is_number(entry)) {
    const auto units = default_units();
    const auto index = std::strtoul(entry.c_str(), nullptr, 10);
    return index < units.size() ? std::optional<Unit>(units[index]) : std::nullopt;
  }
  for (const auto& unit : all_units())
    if (is_named(entry, unit)) return unit;
  return std::nullopt;
}

// The first invalid entry ends the list.
std::vector<Unit> selected_units(const std::string& list) {
  std::vector<Unit> units;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    const auto unit = unit_of(list.substr(at, end - at));
    if (!unit) break;
    units.push_back(*unit);
    at = end + 1;
  }
  return units;
}

// Before R570 a process sees one MIG instance and then no whole GPU beside it.
void apply_one_instance_limit(std::vector<Unit>& units) {
  if (machine().driver_major() >= kDriverWithSeveralInstances) return;
  const auto first =
      std::find_if(units.begin(), units.end(), [](const Unit& unit) { return unit.instance != nullptr; });
  if (first != units.end()) units = {*first};
}

}  // namespace

std::vector<Unit> visible_units() {
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  auto units = list ? selected_units(list) : default_units();
  apply_one_instance_limit(units);
  return units;
}

}  // namespace doubles
