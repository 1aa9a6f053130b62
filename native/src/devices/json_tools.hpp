#pragma once
// Small pieces of JSON that the writers of device facts share. Absent facts are left out.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/uuid.hpp"
#include "devices/reason.hpp"

namespace seamscope {

using Json = nlohmann::json;

Json json_of(const Reason& reason);

inline void put_text(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

template <typename T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

inline void put(Json& object, const char* key, const std::optional<Uuid>& uuid) {
  if (uuid) object[key] = uuid_text(*uuid);
}

inline void put(Json& object, const char* key, const std::optional<Reason>& reason) {
  if (reason) object[key] = json_of(*reason);
}

inline std::string uuid_or_empty(const std::optional<Uuid>& uuid) {
  return uuid ? uuid_text(*uuid) : "";
}

// Finds json_of() of the item's own type, which must be declared before the call.
template <typename T>
Json array_of(const std::vector<T>& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(json_of(item));
  return list;
}

// Variables and driver texts may hold any bytes; JSON is UTF-8.
inline std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace seamscope
