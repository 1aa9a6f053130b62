#pragma once
// shaders/scene_math.glsl as members of a class: the same text, the same pictures.

#include "scene/packet.hpp"

namespace seamscope::scene::packet {

class PacketRenderer {
 public:
  explicit PacketRenderer(const SceneState& state) : view(state.view), objects_(state.objects) {}

#define INOUT(type) type&
#define PACKET_CONST static constexpr
#include "../../shaders/scene_math.glsl"
#undef PACKET_CONST
#undef INOUT

 private:
  vec4 sphere_word(uint i, uint k) const {
    return (&objects_.spheres[i].eye_space)[k];
  }
  vec4 box_word(uint i, uint k) const {
    return (&objects_.boxes[i].unused)[k];
  }

  const SceneView& view;  // the name that the shared text uses
  const ObjectRecords& objects_;
};

}  // namespace seamscope::scene::packet
