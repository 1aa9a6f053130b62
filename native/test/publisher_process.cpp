#include "publisher_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/uuid.hpp"
#include "devices_process.hpp"
#include "gpu_device.hpp"

extern char** environ;

namespace seamscope::test {
namespace {

namespace fs = std::filesystem;

std::string temporary(const char* name) {
  std::string path = (fs::temp_directory_path() / name).string();
  const int fd = mkstemp(path.data());
  if (fd >= 0) close(fd);
  return path;
}

bool has_real_cuda() {
  return fs::exists("/dev/nvidiactl");
}

// A machine whose one GPU has the UUID of the Vulkan device here, so that the two match.
std::string write_machine() {
  std::string uuid = "00000000-0000-0000-0000-000000000001";
  if (const auto vulkan = device()) {
    VkPhysicalDeviceIDProperties id{};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &id;
    vkGetPhysicalDeviceProperties2(vulkan->physical(), &properties);
    uuid = uuid_text(uuid_from_bytes(id.deviceUUID));
  }
  const std::string path = temporary("seamscope-machine-XXXXXX");
  std::ofstream(path) << R"({"gpus": [{"name": "Stand-in", "uuid": ")" << uuid << R"("}]})";
  return path;
}

}  // namespace

std::string example_path(const std::string& name) {
  const fs::path path = fs::read_symlink("/proc/self/exe").parent_path() / "examples" / name;
  return fs::exists(path) ? path.string() : "";
}

ExampleProcess::ExampleProcess(const std::string& name, const std::vector<std::string>& arguments,
                               const std::vector<std::string>& variables)
    : log_(temporary("seamscope-example-XXXXXX")) {
  const std::string program = example_path(name);
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry) entries.emplace_back(*entry);
  if (!has_real_cuda()) {
    machine_ = write_machine();
    entries.push_back("LD_LIBRARY_PATH=" + doubles_folder() + "/driver");
    entries.push_back("SEAMSCOPE_DOUBLES=" + machine_);
  }
  entries.insert(entries.end(), variables.begin(), variables.end());
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto pointers = [](std::vector<std::string>& list) {
    std::vector<char*> out;
    for (auto& text : list) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_.c_str(), O_WRONLY | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  auto argv = pointers(words), envp = pointers(entries);
  if (posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), envp.data()) != 0) pid_ = -1;
  posix_spawn_file_actions_destroy(&actions);
}

ExampleProcess::~ExampleProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  fs::remove(log_);
  if (!machine_.empty()) fs::remove(machine_);
}

int ExampleProcess::wait(int timeout_ms) {
  for (int waited = 0; pid_ > 0 && waited <= timeout_ms; waited += 5) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return -1;
}

void ExampleProcess::signal(int number) const {
  if (pid_ > 0) kill(pid_, number);
}

std::string ExampleProcess::words() const {
  std::ifstream file(log_);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

size_t ExampleProcess::fd_count() const {
  std::error_code error;
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid_) + "/fd", error))
    ++count;
  return count;
}

}  // namespace seamscope::test
