#include "devices/visible_devices.hpp"

#include <cstdlib>

namespace seamscope {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

VisibleKind kind_of(const std::string& text) {
  if (text.rfind("GPU-", 0) == 0) return VisibleKind::Gpu;
  if (text.rfind("MIG-", 0) == 0) return VisibleKind::Mig;
  const bool negative = !text.empty() && text.front() == '-';
  const std::string digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return VisibleKind::Invalid;
  return negative ? VisibleKind::End : VisibleKind::Index;
}

size_t cuda_units(const NvmlFacts& nvml) {
  size_t count = 0;
  for (const auto& gpu : nvml.gpus) count += gpu.mig_current ? gpu.instances.size() : 1;
  return count;
}

bool names_something(const VisibleEntry& entry, const NvmlFacts& nvml) {
  for (const auto& gpu : nvml.gpus) {
    if (gpu.uuid && names_uuid(entry, "GPU-" + uuid_text(*gpu.uuid))) return true;
    for (const auto& instance : gpu.instances)
      if (names_uuid(entry, instance.nvml_uuid)) return true;
  }
  return false;
}

bool is_stop(const VisibleEntry& entry, const NvmlFacts& nvml) {
  if (entry.kind == VisibleKind::Invalid || entry.kind == VisibleKind::End) return true;
  if (!nvml.available || nvml.gpus.empty()) return false;
  if (entry.kind == VisibleKind::Index) return std::strtoul(entry.text.c_str(), nullptr, 10) >= cuda_units(nvml);
  return !names_something(entry, nvml);
}

}  // namespace

std::vector<VisibleEntry> parse_visible_devices(const std::string& value) {
  std::vector<VisibleEntry> entries;
  for (size_t at = 0; at < value.size();) {
    const size_t end = std::min(value.find(',', at), value.size());
    const std::string text = trimmed(value.substr(at, end - at));
    entries.push_back({text, kind_of(text)});
    at = end + 1;
  }
  return entries;
}

std::optional<VisibleEntry> first_stop(const std::vector<VisibleEntry>& entries, const NvmlFacts& nvml) {
  for (const auto& entry : entries)
    if (is_stop(entry, nvml)) return entry;
  return std::nullopt;
}

bool names_uuid(const VisibleEntry& entry, const std::string& nvml_uuid) {
  if (entry.kind == VisibleKind::Mig) return entry.text == nvml_uuid;
  return entry.kind == VisibleKind::Gpu && entry.text.size() > 4 && nvml_uuid.rfind(entry.text, 0) == 0;
}

std::string why_hidden(const std::string& value, const NvmlFacts& nvml) {
  const auto entries = parse_visible_devices(value);
  if (entries.empty()) return "the list is empty";
  const auto stop = first_stop(entries, nvml);
  if (!stop) return "it is not in the list";
  if (stop->kind == VisibleKind::End) return "CUDA stops reading the list at " + stop->text;
  return "entry \"" + stop->text + "\" is invalid, and CUDA ignores it and every entry after it";
}

bool hides_everything(const std::string& value, const NvmlFacts& nvml) {
  const auto entries = parse_visible_devices(value);
  return entries.empty() || is_stop(entries.front(), nvml);
}

}  // namespace seamscope
