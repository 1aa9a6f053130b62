#include "preview/view_choice.hpp"

#include <algorithm>

namespace seamscope {
namespace {

// Somebody who zooms makes many cases. What is forgotten is measured again.
constexpr size_t kMostCases = 256;
constexpr double kSlowest = 0.1;      // share of a new sample in a long average
constexpr double kNoticeable = 0.05;  // ms: less than that is worth no change

}  // namespace

void ViewChoice::Average::add(double sample) {
  count = std::min(count + 1, 1000u);
  if (count > 1) sample = std::min(sample, 3 * ms + 0.1);
  ms += (sample - ms) * std::max(1.0 / count, kSlowest);
}

ViewChoice::Plan ViewChoice::plan(const ViewCase& view, ViewPass usual) {
  if (entries_.size() >= kMostCases && entries_.find(view) == entries_.end()) entries_.clear();
  Entry& entry = entries_.try_emplace(view, Entry{usual, {}, {}, 0, 0}).first->second;
  return {entry.draws, wants_look(view, entry)};
}

bool ViewChoice::wants_look(const ViewCase& view, Entry& entry) {
  const ViewPass pass = other_pass(entry.draws);
  const Average &own = of(entry, entry.draws), &other = of(entry, pass);
  if (entry.refused[static_cast<uint32_t>(pass)] || own.count < kSettle) return false;
  const bool is_ours = view.place == FramePlace::Both || view.place == FramePlace::Device;
  if (!is_ours && pass == ViewPass::Device && own.ms < kBusyMs) return false;
  if (other.count == 0) return true;
  if (other.ms > kFar * entry.own_then) return own.ms > kChanged * entry.own_then;
  return entry.since_look >= (is_cheaper(other, own) ? kSoon : kLater);
}

bool ViewChoice::is_cheaper(const Average& other, const Average& own) {
  return other.ms * kMargin < own.ms && own.ms - other.ms > kNoticeable;
}

void ViewChoice::drew(const ViewCase& view, ViewPass pass, double ms) {
  const auto found = entries_.find(view);
  if (found == entries_.end()) return;
  of(found->second, pass).add(ms);
  ++found->second.since_look;
}

void ViewChoice::looked(const ViewCase& view, ViewPass pass, double ms) {
  const auto found = entries_.find(view);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  Average& other = of(entry, pass);
  other.add(ms);
  entry.since_look = 0;
  if (pass == entry.draws) return;
  const Average& own = of(entry, entry.draws);
  entry.own_then = own.ms;
  if (other.count < kLooks || !is_cheaper(other, own)) return;
  entry.draws = pass;
  entry.own_then = other.ms;
}

void ViewChoice::failed(const ViewCase& view, ViewPass pass) {
  const auto found = entries_.find(view);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.refused[static_cast<uint32_t>(pass)] = true;
  if (entry.draws == pass) entry.draws = other_pass(pass);
}

std::optional<double> ViewChoice::cost(const ViewCase& view, ViewPass pass) const {
  const auto found = entries_.find(view);
  if (found == entries_.end()) return std::nullopt;
  const Average& average = found->second.costs[static_cast<uint32_t>(pass)];
  if (average.count == 0) return std::nullopt;
  return average.ms;
}

}  // namespace seamscope
