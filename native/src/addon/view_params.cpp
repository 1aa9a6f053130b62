#include <algorithm>
#include <nlohmann/json.hpp>

#include "addon/view_json.hpp"
#include "addon/view_words.hpp"

namespace seamscope {
namespace {

using nlohmann::json;

// Sides of a picture: beyond any screen, and small enough for every encoder.
constexpr double kMaxSide = 16384;

template <typename T>
void read(const json& from, const char* name, T& into) {
  if (const auto found = from.find(name); found != from.end()) into = found->get<T>();
}

void read_side(const json& from, const char* name, uint32_t& into) {
  double side = into;
  read(from, name, side);
  into = static_cast<uint32_t>(side >= 1 ? std::min(side, kMaxSide) : 1);
}

template <typename Enum, size_t N>
void read_word(const json& from, const char* name, const std::array<std::string_view, N>& words, Enum& into) {
  const auto found = from.find(name);
  if (found == from.end()) return;
  const auto& text = found->get_ref<const std::string&>();
  const auto value = words::value_of<Enum>(words, text);
  if (!value) throw std::invalid_argument(std::string(name) + " is \"" + text + "\"");
  into = *value;
}

void read_rect(const json& from, ViewParams& params) {
  const auto rect = from.find("rect");
  if (rect == from.end()) return;
  read(*rect, "x", params.x);
  read(*rect, "y", params.y);
  read(*rect, "width", params.rect_w);
  read(*rect, "height", params.rect_h);
}

void read_range(const json& from, ViewParams& params) {
  const auto range = from.find("range");
  if (range == from.end()) return;
  params.range.reset();
  if (!range->is_null()) params.range = range->get<std::array<double, 2>>();
}

void read_compare(const json& from, ViewParams& params) {
  const auto compare = from.find("compare");
  if (compare == from.end()) return;
  read_word(*compare, "mode", words::kCompareMode, params.compare);
  read(*compare, "reference", params.reference);
  read(*compare, "split", params.split);
  params.difference_signed = false;
  read(*compare, "signed", params.difference_signed);
}

void read_history(const json& from, ViewParams& params) {
  const auto history = from.find("history");
  if (history == from.end()) return;
  params.history.reset();
  if (!history->is_null()) params.history = history->get<uint64_t>();
}

void read_all(const json& from, ViewParams& params) {
  read(from, "output", params.output);
  read_side(from, "width", params.width);
  read_side(from, "height", params.height);
  read_rect(from, params);
  read(from, "exposure", params.exposure);
  read(from, "gamma", params.gamma);
  read_word(from, "toneMap", words::kToneMap, params.tone_map);
  read_word(from, "falseColor", words::kFalseColor, params.false_color);
  read_range(from, params);
  read(from, "channelMask", params.channel_mask);
  read(from, "flipY", params.flip_y);
  read(from, "swapRb", params.swap_rb);
  read(from, "overlayNan", params.overlay_nan);
  read(from, "overlayClip", params.overlay_clip);
  read(from, "overlayInf", params.overlay_inf);
  read(from, "overlayNegative", params.overlay_negative);
  read(from, "batch", params.batch);
  read_compare(from, params);
  read_history(from, params);
  read(from, "wantHistogram", params.want_histogram);
  read(from, "wantMetrics", params.want_metrics);
  read_word(from, "encoding", words::kEncoding, params.encoding);
  read(from, "jpegQuality", params.jpeg_quality);
  read(from, "maxRate", params.max_rate);
}

}  // namespace

Result<ViewParams> parse_view_params(const std::string& text, ViewParams base) {
  try {
    read_all(json::parse(text), base);
    return base;
  } catch (const std::exception& failure) {
    return Error{"The view's parameters are not valid.", "Update the extension and the engine to the same version.",
                 failure.what()};
  }
}

}  // namespace seamscope
