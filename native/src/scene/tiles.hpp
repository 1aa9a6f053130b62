#pragma once
// Which objects matter in which tile of the picture. Conservative: a bit too many costs time, one missing would be
// seen.

#include "scene/scene_records.hpp"
#include "scene/world.hpp"

namespace seamscope::scene {

// Fills state.tiles; state.view must be set.
void sort_tiles(SceneState& state, const World& world);

}  // namespace seamscope::scene
