#include "addon/view_json.hpp"

#include <nlohmann/json.hpp>

#include "addon/view_words.hpp"

namespace seamscope {
namespace {

using nlohmann::json;

json format_of(const FrameDesc& desc) {
  return {{"kind", words::word(words::kOutputKind, desc.kind)},
          {"dtype", words::word(words::kDtype, desc.dtype)},
          {"channels", desc.channels},
          {"colorSpace", words::word(words::kColorSpace, desc.color_space)},
          {"batches", desc.batches}};
}

json json_of(const FrameStats& stats, const Histogram* histogram) {
  json all{
      {"min", stats.min}, {"max", stats.max}, {"nan", stats.nan}, {"inf", stats.inf}, {"negative", stats.negative}};
  if (histogram) all["mean"] = histogram->mean;
  return all;
}

json json_of(const Histogram& histogram) {
  return {{"low", histogram.low},     {"high", histogram.high},     {"below", histogram.below},
          {"above", histogram.above}, {"counts", histogram.counts}, {"frame", histogram.frame}};
}

json json_of(const Metrics& metrics) {
  json all{{"reference", metrics.reference},
           {"frame", metrics.frame},
           {"mae", metrics.mae},
           {"psnr", metrics.psnr ? json(*metrics.psnr) : json(nullptr)},
           {"ssim", metrics.ssim}};
  if (metrics.flip) all["flip"] = *metrics.flip;
  return all;
}

json json_of(const HistoryState& state) {
  return {{"frames", state.frames},
          {"oldest", state.oldest},
          {"newest", state.newest},
          {"bytes", state.bytes},
          {"budget", state.budget}};
}

json json_of(const RecordingState& state) {
  json all{{"folder", state.folder},
           {"written", state.written},
           {"dropped", state.dropped},
           {"bytes", state.bytes},
           {"running", state.running}};
  if (state.problem) all["problem"] = {{"message", state.problem->message}, {"nextStep", state.problem->next_step}};
  return all;
}

json json_of(const StageTimes& times) {
  return {{"render", times.render},
          {"ingest", times.ingest},
          {"view", times.view},
          {"encode", times.encode},
          {"handoff", times.handoff}};
}

json json_of(const Drawn& drawn) {
  json all{{"pass", drawn.pass == ViewPass::Device ? "gpu" : "cpu"}, {"ms", drawn.ms}};
  if (drawn.other_ms) all["otherMs"] = *drawn.other_ms;
  return all;
}

}  // namespace

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json output_json(const std::string& name, const FrameDesc& desc) {
  return {{"name", name},
          {"kind", words::word(words::kOutputKind, desc.kind)},
          {"width", desc.width},
          {"height", desc.height},
          {"channels", desc.channels},
          {"dtype", words::word(words::kDtype, desc.dtype)},
          {"colorSpace", words::word(words::kColorSpace, desc.color_space)},
          {"batches", desc.batches}};
}

std::string to_json_text(const FrameInfo& info) {
  json all{{"viewId", info.view_id},
           {"sequence", info.sequence},
           {"frame", info.frame},
           {"output", info.output},
           {"width", info.width},
           {"height", info.height},
           {"encoding", words::word(words::kEncoding, info.encoding)},
           {"lossless", info.lossless},
           {"frameWidth", info.frame_width},
           {"frameHeight", info.frame_height},
           {"format", format_of(info.desc)},
           {"generation", info.generation},
           {"stats", json_of(info.stats, info.histogram.get())},
           {"producedAt", info.produced_at},
           {"times", json_of(info.times)},
           {"drawn", json_of(info.drawn)},
           {"rect", {{"x", info.x}, {"y", info.y}, {"width", info.rect_w}, {"height", info.rect_h}}},
           {"dropped", info.dropped},
           {"skipped", info.skipped},
           {"history", json_of(info.history)}};
  if (info.histogram) all["histogram"] = json_of(*info.histogram);
  if (info.metrics) all["metrics"] = json_of(*info.metrics);
  if (info.recording) all["recording"] = json_of(*info.recording);
  if (!info.problem.empty()) all["problem"] = info.problem;
  return dump(all);
}

std::string to_json_text(const RecordingState& state) {
  return dump(json_of(state));
}

std::string to_json_text(const Session::Pinned& pinned) {
  return dump(
      {{"reference", pinned.reference}, {"frame", pinned.frame}, {"output", pinned.output}, {"bytes", pinned.bytes}});
}

std::string to_json_text(const Session::Kept& kept) {
  return dump({{"frames", kept.frames}, {"bytes", kept.state.bytes}, {"budget", kept.state.budget}});
}

std::string to_json_text(const PixelBlock& block) {
  json values = json::array();
  for (const Pixel& pixel : block.pixels)
    for (const auto& value : pixel.values)
      std::visit([&](const auto& number_or_text) { values.push_back(number_or_text); }, value);
  return dump({{"x", block.x},
               {"y", block.y},
               {"width", block.width},
               {"height", block.height},
               {"frame", block.frame},
               {"channels", block.channels},
               {"values", values}});
}

std::string to_json_text(const Pixel& pixel, uint32_t x, uint32_t y, uint64_t frame) {
  json values = json::array();
  for (const auto& value : pixel.values)
    std::visit([&](const auto& number_or_text) { values.push_back(number_or_text); }, value);
  return dump({{"x", x}, {"y", y}, {"frame", frame}, {"values", values}, {"hex", pixel.hex}});
}

namespace {

std::string source_text(const Session& session, const std::string& id, const std::string& label, const char* kind) {
  json outputs = json::array();
  for (const OutputInfo& output : session.outputs()) outputs.push_back(output_json(output.name, output.desc));
  return dump({{"id", id}, {"label", label}, {"kind", kind}, {"device", session.device()}, {"outputs", outputs}});
}

}  // namespace

std::string source_json_text(const Session& session) {
  return source_text(session, "scene", "Built-in scene", "scene");
}

std::string files_json_text(const Session& session, const std::string& pattern) {
  return source_text(session, "files:" + pattern, pattern.substr(pattern.rfind('/') + 1), "files");
}

}  // namespace seamscope
