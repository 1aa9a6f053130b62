#pragma once
// CUDA_VISIBLE_DEVICES as CUDA reads it: entries in order, up to the first invalid one.

#include <optional>
#include <string>
#include <vector>

#include "devices/types.hpp"

namespace seamscope {

enum class VisibleKind { Index, Gpu, Mig, End, Invalid };  // End: a negative number

struct VisibleEntry {
  std::string text;
  VisibleKind kind;
};

std::vector<VisibleEntry> parse_visible_devices(const std::string& value);

// The first entry at which CUDA stops reading; nothing when all are good. Without NVML only malformed entries can be
// told.
std::optional<VisibleEntry> first_stop(const std::vector<VisibleEntry>& entries, const NvmlFacts& nvml);

// Whether an entry names this GPU or instance by UUID (a prefix is enough for a GPU).
bool names_uuid(const VisibleEntry& entry, const std::string& nvml_uuid);

// Why a device that CUDA does not list is hidden, as a clause: "the list is empty".
std::string why_hidden(const std::string& value, const NvmlFacts& nvml);

// True when the value alone, or with what NVML knows, leaves CUDA no device at all.
bool hides_everything(const std::string& value, const NvmlFacts& nvml);

}  // namespace seamscope
