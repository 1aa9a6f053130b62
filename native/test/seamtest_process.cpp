#include "seamtest_process.hpp"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/unique_fd.hpp"
#include "base/uuid.hpp"
#include "devices_process.hpp"
#include "drivers/vulkan.hpp"

namespace seamscope::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
constexpr int kLimitSeconds = 300;

// The UUID of lavapipe, or empty.
std::string lavapipe_uuid() {
  auto instance = VulkanInstance::create();
  if (!instance) return "";
  auto devices = instance->physical_devices();
  if (!devices) return "";
  for (const auto device : *devices) {
    VkPhysicalDeviceDriverProperties driver{};
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceIDProperties id{};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    id.pNext = &driver;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &id;
    vkGetPhysicalDeviceProperties2(device, &properties);
    if (driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE) return uuid_text(uuid_from_bytes(id.deviceUUID));
  }
  return "";
}

class TemporaryFile {
 public:
  TemporaryFile() : path_((fs::temp_directory_path() / "seamscope-seam-XXXXXX").string()) {
    const UniqueFd fd(mkstemp(path_.data()));
  }
  ~TemporaryFile() { fs::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string quoted(const std::string& text) {
  return "'" + text + "'";  // no path and no JSON here holds a quote
}

SeamProcess run(const std::string& command, const std::string& words_path) {
  SeamProcess process;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return process;
  std::string line;
  for (int c; (c = std::fgetc(pipe)) != EOF;) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    process.lines.push_back(json::parse(line, nullptr, false));
    line.clear();
  }
  const int status = pclose(pipe);
  process.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::ifstream words(words_path);
  process.words.assign(std::istreambuf_iterator<char>(words), {});
  return process;
}

// One that lavapipe is, and others that have no Vulkan device.
json stand_ins(const std::string& uuid, size_t count) {
  json gpus = json::array();
  for (size_t i = 0; i < count; ++i)
    gpus.push_back(
        {{"name", "Stand-in"}, {"uuid", i == 0 ? uuid : "00000000-0000-0000-0000-00000000000" + std::to_string(i)}});
  return {{"gpus", gpus}};
}

}  // namespace

json SeamProcess::event(const std::string& name) const {
  const auto found = events(name);
  return found.empty() ? json() : found.front();
}

std::vector<json> SeamProcess::events(const std::string& name) const {
  std::vector<json> found;
  for (const auto& line : lines)
    if (line.is_object() && line.value("event", "") == name) found.push_back(line);
  return found;
}

std::optional<SeamProcess> run_seam(json job, bool cuda, size_t gpus) {
  static const std::string uuid = lavapipe_uuid();
  const std::string folder = doubles_folder();
  if (uuid.empty() || folder.empty()) {
    std::puts(uuid.empty() ? "SKIPPED: there is no lavapipe here" : "SKIPPED: the stand-ins were not built");
    return std::nullopt;
  }
  const std::string program = folder + "/seamscope_seam";
  const TemporaryFile machine, words;
  std::ofstream(machine.path()) << stand_ins(uuid, gpus);
  job["device"]["vulkanUuid"] = uuid;
  if (cuda) job["device"]["cudaOrdinal"] = 0;
  job["peer"] = {program, R"({"kind":"peer"})"};
  // exec, so that the limit's process is the parent that the job asks for.
  const std::string command = "LD_LIBRARY_PATH=" + quoted(folder + "/driver") +
                              " SEAMSCOPE_DOUBLES=" + quoted(machine.path()) + " exec timeout " +
                              std::to_string(kLimitSeconds) + " " + quoted(program) + " " + quoted(job.dump()) + " 2>" +
                              quoted(words.path());
  return run(command, words.path());
}

json matrix(uint32_t frames) {
  json cells = json::array();
  for (const char* mode : {"fence", "timeline"})
    for (const uint32_t slots : {1, 2, 3, 8})
      for (const char* ownership : {"exporter", "inverted"})
        for (const int processes : {1, 2})
          for (const char* direction : {"vulkan-to-partner", "partner-to-vulkan"})
            for (const char* resource : {"buffer", "image"})
              cells.push_back({{"id", cells.size()},
                               {"mode", mode},
                               {"slots", slots},
                               {"ownership", ownership},
                               {"processes", processes},
                               {"direction", direction},
                               {"resource", resource},
                               {"frames", frames},
                               {"width", 64},
                               {"height", 32}});
  return {{"kind", "cells"}, {"cells", cells}};
}

}  // namespace seamscope::test
