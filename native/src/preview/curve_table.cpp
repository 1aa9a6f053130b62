#include "preview/curve_table.hpp"

#include <array>
#include <mutex>
#include <utility>

#include "preview/view_math.hpp"

namespace seamscope {

CurveTable::CurveTable(float gamma, bool srgb) : codes_(32u << 10) {
  for (uint32_t i = 0; i < codes_.size(); ++i) {
    // The value in the middle of the interval that shares these bits.
    const float v = bit_cast<float>(((i + kFirst) << kShift) + (1u << (kShift - 1)));
    const float display = view_math::curve(v, gamma);
    codes_[i] = view_math::quantise(srgb ? view_math::srgb_encode(display) : display);
  }
  if (view_math::curve(kLeast, gamma) * 255.0f < 0.5f) codes_[0] = 0;
}

std::shared_ptr<const CurveTable> CurveTable::get(float gamma, bool srgb) {
  // Never destroyed: a thread may still draw while the process runs its exit handlers.
  static auto& mutex = *new std::mutex;
  static auto& last = *new std::array<std::pair<float, std::shared_ptr<const CurveTable>>, 2>;
  std::lock_guard lock(mutex);
  auto& [kept_gamma, table] = last[srgb ? 1 : 0];
  if (!table || kept_gamma != gamma) {
    table = std::make_shared<const CurveTable>(gamma, srgb);
    kept_gamma = gamma;
  }
  return table;
}

}  // namespace seamscope
