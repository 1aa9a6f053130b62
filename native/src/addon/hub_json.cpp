#include "addon/hub_json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "addon/view_json.hpp"
#include "addon/view_words.hpp"

namespace seamscope {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 6> kStates{"announced", "waiting", "live", "silent", "refused", "gone"};

json description(const frames::PublishedOutput& output) {
  json made = output_json(output.name, output.desc);
  made["state"] = words::word(kStates, output.state);
  made["skipped"] = output.skipped;
  if (!output.note.empty()) made["note"] = output.note;
  if (!output.path.empty()) made["path"] = output.path;
  return made;
}

// The process, and every path that its outputs take.
std::string where(const frames::PublisherInfo& publisher, const std::string& passes) {
  std::vector<std::string> parts{"process " + std::to_string(publisher.pid)};
  const auto add = [&](const std::string& part) {
    if (!part.empty() && std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  };
  for (const auto& output : publisher.outputs) add(output.path);
  add(passes);
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

json description(const frames::PublisherInfo& publisher, const std::string& passes) {
  json outputs = json::array();
  for (const auto& output : publisher.outputs) outputs.push_back(description(output));
  return {{"id", publisher.id},
          {"label", publisher.label},
          {"kind", "publisher"},
          {"device", where(publisher, passes)},
          {"outputs", std::move(outputs)},
          {"state", publisher.connected ? "live" : "gone"},
          {"notes", publisher.notes},
          {"pid", publisher.pid}};
}

}  // namespace

std::string publisher_json_text(const frames::PublisherInfo& publisher, const std::string& passes) {
  return dump(description(publisher, passes));
}

std::string publishers_json_text(const std::vector<frames::PublisherInfo>& publishers) {
  json all = json::array();
  for (const auto& publisher : publishers) all.push_back(description(publisher, ""));
  return dump(all);
}

}  // namespace seamscope
