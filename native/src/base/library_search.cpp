#include "base/library_search.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace seamscope {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

void add_split(const std::string& list, Paths& folders) {
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find_first_of(":;", at), list.size());
    if (end > at) folders.push_back(list.substr(at, end - at));
    at = end + 1;
  }
}

Paths configured_folders() {
  Paths files{"/etc/ld.so.conf"}, folders;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/etc/ld.so.conf.d", ignored))
    if (entry.path().extension() == ".conf") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);)
      if (!line.empty() && line.front() == '/') folders.push_back(line.substr(0, line.find_first_of(" \t\r#")));
  }
  return folders;
}

Paths search_folders() {
  Paths folders;
  if (const char* list = getenv("LD_LIBRARY_PATH")) add_split(list, folders);
  for (auto& folder : configured_folders()) folders.push_back(std::move(folder));
  for (const char* folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
                             "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"})
    folders.emplace_back(folder);
  return folders;
}

}  // namespace

Paths library_files(const std::string& name) {
  Paths files;
  std::error_code ignored;
  if (name.find('/') != std::string::npos) {
    if (fs::exists(name, ignored)) files.push_back(name);
    return files;
  }
  for (const auto& folder : search_folders()) {
    const std::string file = (fs::path(folder) / name).lexically_normal().string();
    if (fs::exists(file, ignored) && std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  }
  return files;
}

}  // namespace seamscope
