#include "devices/icd_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace seamscope {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

Paths split(const std::string& list) {
  Paths parts;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(':', at), list.size());
    if (end > at) parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string value_or(const EnvironmentSource& source, const char* name, const std::string& fallback) {
  const auto value = source.variable(name);
  return value && !value->empty() ? *value : fallback;
}

Paths search_folders(const EnvironmentSource& source) {
  const std::string home = value_or(source, "HOME", "");
  Paths bases;
  const auto add = [&](const std::string& list) {
    for (const auto& base : split(list)) bases.push_back(base);
  };
  add(value_or(source, "XDG_CONFIG_HOME", home.empty() ? "" : home + "/.config"));
  add(value_or(source, "XDG_CONFIG_DIRS", "/etc/xdg"));
  add("/etc");
  add(value_or(source, "XDG_DATA_HOME", home.empty() ? "" : home + "/.local/share"));
  add(value_or(source, "XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
  for (auto& base : bases) base += "/vulkan/icd.d";
  return bases;
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

Paths manifests_in(const EnvironmentSource& source, const std::string& folder) {
  Paths files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(source.root + folder, ignored))
    if (entry.path().extension() == ".json") files.push_back(folder + "/" + entry.path().filename().string());
  std::sort(files.begin(), files.end());
  return files;
}

// An entry of VK_DRIVER_FILES is a manifest or a folder of manifests.
Paths named_manifests(const EnvironmentSource& source, const std::string& list) {
  Paths files;
  for (const auto& path : split(list)) {
    if (is_folder(source.root + path)) {
      for (auto& file : manifests_in(source, path)) files.push_back(std::move(file));
    } else {
      files.push_back(path);
    }
  }
  return files;
}

// The first of the two that is set replaces the search, an empty one too: the loader then looks at no driver.
Paths candidate_files(const EnvironmentSource& source) {
  for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
    if (const auto value = source.variable(name)) return named_manifests(source, *value);
  Paths files = named_manifests(source, value_or(source, "VK_ADD_DRIVER_FILES", ""));
  for (const auto& folder : search_folders(source))
    for (auto& file : manifests_in(source, folder)) files.push_back(std::move(file));
  return files;
}

std::string library_of(const nlohmann::json& manifest) {
  if (!manifest.is_object() || !manifest.contains("ICD") || !manifest["ICD"].is_object()) return "";
  const auto& icd = manifest["ICD"];
  return icd.contains("library_path") && icd["library_path"].is_string() ? icd["library_path"].get<std::string>() : "";
}

// A bare name is left to the dynamic linker; a path is absolute or relative to the manifest.
std::string missing_library(const EnvironmentSource& source, const IcdFile& file) {
  if (file.library.find('/') == std::string::npos) return "";
  const fs::path library = file.library.front() == '/' ? fs::path(source.root + file.library)
                                                       : fs::path(source.root + file.path).parent_path() / file.library;
  std::error_code ignored;
  return fs::exists(library, ignored) ? "" : "The library " + file.library + " does not exist.";
}

IcdFile inspect(const EnvironmentSource& source, const std::string& path) {
  IcdFile file{path, "", ""};
  std::ifstream stream(source.root + path);
  if (!stream) {
    file.problem = "The manifest cannot be read.";
    return file;
  }
  const auto manifest = nlohmann::json::parse(stream, nullptr, false);
  file.library = library_of(manifest);
  if (manifest.is_discarded()) {
    file.problem = "The manifest is not valid JSON.";
  } else if (file.library.empty()) {
    file.problem = "The manifest names no ICD.library_path.";
  } else {
    file.problem = missing_library(source, file);
  }
  return file;
}

}  // namespace

std::vector<IcdFile> find_icd_files(const EnvironmentSource& source) {
  std::vector<IcdFile> files;
  Paths seen;
  for (const auto& path : candidate_files(source)) {
    if (std::find(seen.begin(), seen.end(), path) != seen.end()) continue;
    seen.push_back(path);
    files.push_back(inspect(source, path));
  }
  return files;
}

void attach_loader_messages(std::vector<IcdFile>& files, const std::vector<std::string>& messages) {
  for (auto& file : files) {
    for (const auto& message : messages) {
      const bool about_file = message.find(file.path) != std::string::npos;
      const bool about_library = !file.library.empty() && message.find(file.library) != std::string::npos;
      if (!about_file && !about_library) continue;
      if (!file.problem.empty()) file.problem += '\n';
      file.problem += message;
    }
  }
}

}  // namespace seamscope
