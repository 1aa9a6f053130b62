#include "addon/view_json.hpp"

#include <nlohmann/json.hpp>

#include "addon/view_words.hpp"

namespace seamscope {
namespace {

using nlohmann::json;

// A driver's name may hold any bytes; broken UTF-8 is replaced instead of thrown at.
std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json description(const OutputInfo& output) {
  const FrameDesc& desc = output.desc;
  return {{"name", output.name},
          {"kind", words::word(words::kOutputKind, desc.kind)},
          {"width", desc.width},
          {"height", desc.height},
          {"channels", desc.channels},
          {"dtype", words::word(words::kDtype, desc.dtype)},
          {"colorSpace", words::word(words::kColorSpace, desc.color_space)}};
}

}  // namespace

std::string to_json_text(const FrameInfo& info) {
  const FrameStats& stats = info.stats;
  return dump(
      {{"viewId", info.view_id},
       {"sequence", info.sequence},
       {"frame", info.frame},
       {"output", info.output},
       {"width", info.width},
       {"height", info.height},
       {"encoding", words::word(words::kEncoding, info.encoding)},
       {"lossless", info.lossless},
       {"frameWidth", info.frame_width},
       {"frameHeight", info.frame_height},
       {"stats",
        {{"min", stats.min}, {"max", stats.max}, {"nan", stats.nan}, {"inf", stats.inf}, {"negative", stats.negative}}},
       {"producedAt", info.produced_at},
       {"times",
        {{"render", info.times.render},
         {"ingest", info.times.ingest},
         {"view", info.times.view},
         {"encode", info.times.encode}}},
       {"rect", {{"x", info.x}, {"y", info.y}, {"width", info.rect_w}, {"height", info.rect_h}}},
       {"dropped", info.dropped}});
}

std::string to_json_text(const Pixel& pixel, uint32_t x, uint32_t y, uint64_t frame) {
  json values = json::array();
  for (const auto& value : pixel.values)
    std::visit([&](const auto& number_or_text) { values.push_back(number_or_text); }, value);
  return dump({{"x", x}, {"y", y}, {"frame", frame}, {"values", values}, {"hex", pixel.hex}});
}

std::string source_json_text(const Session& session) {
  json outputs = json::array();
  for (const OutputInfo& output : session.outputs()) outputs.push_back(description(output));
  return dump({{"id", "scene"},
               {"label", "Built-in scene"},
               {"kind", "scene"},
               {"device", session.device()},
               {"outputs", outputs}});
}

}  // namespace seamscope
