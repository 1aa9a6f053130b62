#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "devices/environment.hpp"
#include "devices/icd_files.hpp"

using namespace seamscope;
namespace fs = std::filesystem;

namespace {

constexpr const char* kManifest = R"({"ICD": {"library_path": "libGLX_nvidia.so.0", "api_version": "1.3.0"}})";

// A root folder of its own, removed at the end.
class FakeSystem {
 public:
  FakeSystem() {
    std::string pattern = (fs::temp_directory_path() / "seamscope-root-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()));
    root_ = pattern;
  }
  ~FakeSystem() { fs::remove_all(root_); }

  FakeSystem& file(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
    return *this;
  }
  FakeSystem& variable(const std::string& name, const std::string& value) {
    variables_[name] = value;
    return *this;
  }
  EnvironmentSource source() const {
    return {[this](const std::string& name) -> std::optional<std::string> {
              const auto found = variables_.find(name);
              return found == variables_.end() ? std::nullopt : std::optional<std::string>(found->second);
            },
            root_};
  }

 private:
  std::string root_;
  std::map<std::string, std::string> variables_;
};

std::string paths_of(const std::vector<IcdFile>& files) {
  std::string text;
  for (const auto& file : files) text += file.path + " ";
  return text;
}

}  // namespace

TEST_CASE("the kernel driver's version") {
  CHECK(kernel_driver_version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12\nGCC version: "
                              "gcc 12.2.0\n") == "535.183.01");
  CHECK(kernel_driver_version(
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (dvs-builder)\n") ==
        "580.159.04");
  CHECK(kernel_driver_version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  384.90  Tue\n") == "384.90");
  CHECK(kernel_driver_version("GCC version:  gcc version 12.2.0\n") == "");
  CHECK(kernel_driver_version("") == "");
}

TEST_CASE("an empty system has no facts") {
  const FakeSystem system;
  const auto facts = read_environment(system.source());
  CHECK(facts.variables.empty());
  CHECK_FALSE(facts.container);
  CHECK_FALSE(facts.wsl);
  CHECK_FALSE(facts.tegra);
  CHECK(facts.icd_files.empty());
  CHECK(facts.kernel_driver_version.empty());
}

TEST_CASE("variables: an empty value is not an unset one, and others stay out") {
  FakeSystem system;
  system.variable("CUDA_VISIBLE_DEVICES", "").variable("SECRET_TOKEN", "x");
  const auto facts = read_environment(system.source());
  CHECK(facts.variables == std::map<std::string, std::string>{{"CUDA_VISIBLE_DEVICES", ""}});
}

TEST_CASE("container, WSL and Tegra") {
  CHECK(read_environment(FakeSystem().file("/.dockerenv", "").source()).container);
  CHECK(read_environment(FakeSystem().file("/run/.containerenv", "").source()).container);
  CHECK(read_environment(FakeSystem().file("/proc/1/cgroup", "0::/kubepods/pod1\n").source()).container);
  CHECK(read_environment(FakeSystem().variable("KUBERNETES_SERVICE_HOST", "10.0.0.1").source()).container);
  CHECK(
      read_environment(FakeSystem().file("/proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n").source())
          .wsl);
  CHECK(read_environment(FakeSystem().file("/etc/nv_tegra_release", "# R36\n").source()).tegra);
}

TEST_CASE("manifests: the loader's search order") {
  FakeSystem system;
  for (const char* path :
       {"/usr/share/vulkan/icd.d/b.json", "/usr/share/vulkan/icd.d/a.json", "/etc/vulkan/icd.d/c.json",
        "/home/me/.config/vulkan/icd.d/d.json", "/home/me/.local/share/vulkan/icd.d/e.json", "/extra/f.json",
        "/etc/xdg/vulkan/icd.d/g.json", "/usr/share/vulkan/icd.d/readme.txt"})
    system.file(path, kManifest);
  system.variable("HOME", "/home/me").variable("VK_ADD_DRIVER_FILES", "/extra/f.json");
  CHECK(paths_of(find_icd_files(system.source())) ==
        "/extra/f.json /home/me/.config/vulkan/icd.d/d.json /etc/xdg/vulkan/icd.d/g.json /etc/vulkan/icd.d/c.json "
        "/home/me/.local/share/vulkan/icd.d/e.json /usr/share/vulkan/icd.d/a.json /usr/share/vulkan/icd.d/b.json ");

  system.variable("VK_ICD_FILENAMES", "/usr/share/vulkan/icd.d/a.json");
  CHECK(paths_of(find_icd_files(system.source())) == "/usr/share/vulkan/icd.d/a.json ");
  system.variable("VK_DRIVER_FILES", "/extra:/etc/vulkan/icd.d/c.json:/extra/f.json");
  CHECK(paths_of(find_icd_files(system.source())) == "/extra/f.json /etc/vulkan/icd.d/c.json ");
  system.variable("VK_DRIVER_FILES", "");
  CHECK(paths_of(find_icd_files(system.source())) == "");
}

TEST_CASE("manifests: what is wrong with each") {
  struct Case {
    const char* text;
    const char* library;
    const char* problem;
  };
  constexpr Case kCases[] = {
      {kManifest, "libGLX_nvidia.so.0", ""},
      {R"({"ICD": {"library_path": "../../lib/libthere.so"}})", "../../lib/libthere.so", ""},
      {R"({"ICD": {"library_path": "/lib/libgone.so"}})", "/lib/libgone.so",
       "The library /lib/libgone.so does not exist."},
      {R"({"ICD": {}})", "", "The manifest names no ICD.library_path."},
      {R"([1])", "", "The manifest names no ICD.library_path."},
      {"{", "", "The manifest is not valid JSON."},
      {"", "", "The manifest is not valid JSON."},
  };
  for (const auto& item : kCases) {
    CAPTURE(item.text);
    FakeSystem system;
    system.file("/opt/vulkan/icd.d/x.json", item.text).file("/opt/lib/libthere.so", "");
    system.variable("VK_DRIVER_FILES", "/opt/vulkan/icd.d/x.json");
    const auto files = find_icd_files(system.source());
    REQUIRE(files.size() == 1);
    CHECK(files[0].library == item.library);
    CHECK(files[0].problem == item.problem);
  }
  FakeSystem system;
  system.variable("VK_DRIVER_FILES", "/gone.json");
  CHECK(find_icd_files(system.source()).at(0).problem == "The manifest cannot be read.");
}

TEST_CASE("the loader's words go to the manifest they are about") {
  std::vector<IcdFile> files = {{"/a.json", "libA.so", ""}, {"/b.json", "libB.so", "Before."}};
  attach_loader_messages(files, {"cannot load libB.so", "Found no drivers!"});
  CHECK(files[0].problem == "");
  CHECK(files[1].problem == "Before.\ncannot load libB.so");
}
