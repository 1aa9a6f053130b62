// Driver libraries that are there and no good: the file and what it lacks are named, nothing is taken for absent, and
// nothing dies of it.

#include <doctest/doctest.h>
#include <elf.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/dynamic_library.hpp"
#include "base/elf_file.hpp"
#include "devices_process.hpp"

using namespace seamscope;
namespace fs = std::filesystem;

namespace {

// A folder of its own, removed with everything in it.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("seamscope-damaged-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string at(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const std::string& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

// A library that every Linux has and that is no driver.
std::string sound_library() {
  const auto libm = DynamicLibrary::open({"libm.so.6"});
  return bytes_of(libm->path());
}

std::string with_machine(std::string bytes, Elf64_Half machine) {
  bytes.replace(offsetof(Elf64_Ehdr, e_machine), sizeof machine, reinterpret_cast<const char*>(&machine),
                sizeof machine);
  return bytes;
}

std::string with_class(std::string bytes, unsigned char elf_class) {
  bytes[EI_CLASS] = static_cast<char>(elf_class);
  return bytes;
}

struct Damage {
  std::string name;
  std::string bytes;
  std::string words;
};

std::vector<Damage> damages() {
  const std::string sound = sound_library();
  const std::string half = "is cut off: it has " + std::to_string(sound.size() / 2) + " bytes, its headers name ";
  return {
      {"empty", "", "is empty"},
      {"text", "#!/bin/sh\necho no library\n", "is not a library (it has no ELF header)"},
      {"head only", sound.substr(0, 40), "is cut off inside its ELF header (40 bytes)"},
      {"half", sound.substr(0, sound.size() / 2), half},
      {"one page short", sound.substr(0, sound.size() - 4096), "is cut off: it has "},
      {"another machine", with_machine(sound, EM_PPC64), "is built for ppc64, this is "},
      {"32 bits", with_class(sound, ELFCLASS32), "is a 32-bit library"},
  };
}

}  // namespace

TEST_CASE("what is wrong with a library is told from its headers") {
  const Folder folder;
  const std::string file = folder.at("library.so");
  write(file, sound_library());
  CHECK(elf_fault(file) == "");
  CHECK(elf_fault(folder.at("absent.so")) == "cannot be read");
  for (const auto& damage : damages()) {
    CAPTURE(damage.name);
    write(file, damage.bytes);
    CHECK(elf_fault(file).rfind(damage.words, 0) == 0);
  }
}

TEST_CASE("a damaged library is not opened, and the error names it") {
  const Folder folder;
  const std::string file = folder.at("library.so");
  for (const auto& damage : damages()) {
    CAPTURE(damage.name);
    write(file, damage.bytes);
    const auto library = DynamicLibrary::open({file, "libseamscope-absent.so.1"});
    REQUIRE_FALSE(library);
    CHECK(library.error().damaged);
    CHECK(library.error().message.rfind(file + " " + damage.words, 0) == 0);
  }
  CHECK_FALSE(DynamicLibrary::open({folder.at("absent.so")}).error().damaged);
  write(file, "");
  CHECK(DynamicLibrary::open({file, "libm.so.6"}));
}

TEST_CASE("a snapshot tells a damaged driver library from none") {
  if (test::doubles_folder().empty()) {
    MESSAGE("skipped: the stand-ins do not lie beside this executable");
    return;
  }
  const struct {
    const char* file;
    const char* part;
    const char* lacks;
  } libraries[] = {{"libcuda.so.1", "cuda", "cuInit"},
                   {"libnvidia-ml.so.1", "nvml", "nvmlInit_v2"},
                   {"libvulkan.so.1", "vulkan", "vkGetInstanceProcAddr"}};
  auto cases = damages();
  cases.push_back({"no driver", sound_library(), "it has no "});
  for (const auto& library : libraries) {
    for (const auto& damage : cases) {
      const std::string name = damage.name, file = library.file;
      // The development package's libvulkan.so may stand in for a loader that cannot be opened.
      if (file == "libvulkan.so.1" && name != "no driver") continue;
      CAPTURE(file);
      CAPTURE(name);
      const Folder folder;
      write(folder.at(library.file), damage.bytes);
      const auto run = test::run_probe(folder.at("."), nlohmann::json::object());
      REQUIRE(run.exit_code == 0);
      if (run.snapshot[library.part]["available"] == true) {
        MESSAGE("skipped: a sound " << file << " lies in another folder that is searched");
        continue;
      }
      const auto& reason = run.snapshot[library.part]["reason"];
      CHECK(reason["code"] == "driver-library-damaged");
      const std::string message = reason["message"];
      CHECK(message.find(folder.at(library.file) + " ") != std::string::npos);
      CHECK(message.find(damage.words) != std::string::npos);
      if (name == "no driver") CHECK(message.find(library.lacks) != std::string::npos);
    }
  }
}
