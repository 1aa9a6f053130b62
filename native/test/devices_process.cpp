#include "devices_process.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/unique_fd.hpp"

extern char** environ;

namespace seamscope::test {
namespace {

namespace fs = std::filesystem;
constexpr int kLimitMs = 60'000;

bool decides_devices(const std::string& variable) {
  for (const char* prefix : {"CUDA_", "NVIDIA_", "VK_", "MESA_VK_", "LD_LIBRARY_PATH="})
    if (variable.rfind(prefix, 0) == 0) return true;
  return false;
}

std::vector<std::string> environment(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> list;
  for (char** entry = environ; *entry; ++entry)
    if (!decides_devices(*entry)) list.push_back(*entry);
  for (const auto& [name, value] : variables) list.push_back(name + "=" + value);
  return list;
}

class MachineFile {
 public:
  explicit MachineFile(const nlohmann::json& machine) {
    path_ = (fs::temp_directory_path() / "seamscope-machine-XXXXXX").string();
    const UniqueFd fd(mkstemp(path_.data()));
    std::ofstream(path_) << machine;
  }
  ~MachineFile() { fs::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

pid_t start(const std::string& program, const std::vector<std::string>& variables, const std::string& steps,
            int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  std::vector<char*> entries;
  for (const auto& variable : variables) entries.push_back(const_cast<char*>(variable.c_str()));
  entries.push_back(nullptr);
  char* argument = steps.empty() ? nullptr : const_cast<char*>(steps.c_str());
  char* arguments[] = {const_cast<char*>(program.c_str()), argument, nullptr};
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments, entries.data());
  posix_spawn_file_actions_destroy(&actions);
  return failed ? -1 : pid;
}

// Everything until the end of the stream; nothing more once the limit has passed.
std::string read_all(int fd, bool* timed_out) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(kLimitMs);
  std::string text;
  char buffer[4096];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd wait{fd, POLLIN, 0};
    if (left <= 0 || poll(&wait, 1, static_cast<int>(left)) <= 0) {
      *timed_out = true;
      return text;
    }
    const ssize_t count = read(fd, buffer, sizeof buffer);
    if (count <= 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

}  // namespace

std::string doubles_folder() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path() / "doubles";
  return fs::exists(folder / "seamscope_probe") ? folder.string() : "";
}

ProbeRun run_probe(const std::string& driver, const nlohmann::json& machine,
                   const std::map<std::string, std::string>& variables, const std::string& steps) {
  const std::string folder = doubles_folder();
  const MachineFile file(machine);
  auto all = variables;
  // The old driver's folder holds libcuda only; NVML comes from the other one.
  all["LD_LIBRARY_PATH"] = driver[0] == '/' ? driver : folder + "/" + driver + ":" + folder + "/driver";
  all["SEAMSCOPE_DOUBLES"] = file.path();

  int ends[2];
  if (pipe(ends) != 0) return {};
  UniqueFd reader(ends[0]), writer(ends[1]);
  const pid_t pid = start(folder + "/seamscope_probe", environment(all), steps, writer.get());
  writer.reset();
  if (pid < 0) return {};
  bool timed_out = false;
  const std::string text = read_all(reader.get(), &timed_out);
  if (timed_out) kill(pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, 0);
  ProbeRun run{WIFEXITED(status) ? WEXITSTATUS(status) : -1, {}, {}};
  if (steps.empty()) run.snapshot = nlohmann::json::parse(text, nullptr, false);
  std::istringstream lines(text);
  for (std::string line; !steps.empty() && std::getline(lines, line);)
    run.lines.push_back(nlohmann::json::parse(line, nullptr, false));
  return run;
}

}  // namespace seamscope::test
