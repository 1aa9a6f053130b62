#pragma once
// The JSON of helper/protocol/frames.ts.

#include <nlohmann/json.hpp>
#include <string>

#include "preview/frame_info.hpp"
#include "preview/pixel.hpp"
#include "preview/session.hpp"

namespace seamscope {

// Fields that `text` leaves out keep the value they have in `base`. Error when a field has the wrong type or an unknown
// word.
Result<ViewParams> parse_view_params(const std::string& text, ViewParams base);

// A driver's name may hold any bytes; broken UTF-8 is replaced instead of thrown at.
std::string dump(const nlohmann::json& value);

// OutputDescription.
nlohmann::json output_json(const std::string& name, const FrameDesc& desc);

std::string to_json_text(const FrameInfo& info);
// The part of a view/pixels rectangle that lies in the frame.
struct PixelBlock {
  uint32_t x = 0, y = 0, width = 0, height = 0, channels = 0;
  uint64_t frame = 0;
  std::vector<Pixel> pixels;  // row by row
};
std::string to_json_text(const PixelBlock& block);

std::string to_json_text(const RecordingState& state);
std::string to_json_text(const Session::Pinned& pinned);
std::string to_json_text(const Session::Kept& kept);
std::string to_json_text(const Pixel& pixel, uint32_t x, uint32_t y, uint64_t frame);
// SourceDescription of the built-in scene.
std::string source_json_text(const Session& session);
// The same of watched files; `pattern` as it was given.
std::string files_json_text(const Session& session, const std::string& pattern);

}  // namespace seamscope
