#pragma once
// The JSON of helper/protocol/frames.ts.

#include <string>

#include "preview/frame_info.hpp"
#include "preview/pixel.hpp"
#include "preview/session.hpp"

namespace seamscope {

// Fields that `text` leaves out keep the value they have in `base`. Error when a field has the wrong type or an unknown
// word.
Result<ViewParams> parse_view_params(const std::string& text, ViewParams base);

std::string to_json_text(const FrameInfo& info);
std::string to_json_text(const Pixel& pixel, uint32_t x, uint32_t y, uint64_t frame);
// SourceDescription of the built-in scene.
std::string source_json_text(const Session& session);

}  // namespace seamscope
