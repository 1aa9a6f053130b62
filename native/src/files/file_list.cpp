#include "files/file_list.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>

#include "base/unique_fd.hpp"
#include "files/image_file.hpp"

namespace seamscope::files {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

bool is_folder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return FileStamp{path, int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec,
                   static_cast<uint64_t>(info.st_size)};
}

// frame.2 comes before frame.10.
bool comes_before(const std::string& a, const std::string& b) {
  return ::strverscmp(a.c_str(), b.c_str()) < 0;
}

bool later(const FileStamp& a, const FileStamp& b) {
  return a.modified_ns != b.modified_ns ? a.modified_ns > b.modified_ns : comes_before(b.path, a.path);
}

Error file_error(const std::string& path, const std::string& why) {
  return {path + " cannot be read: " + why + ".", "Choose a file or folder that exists and may be read.", {}};
}

}  // namespace

FilePattern::FilePattern(const std::string& pattern) {
  if (is_folder(pattern)) {
    folder_ = pattern;
    return;
  }
  const size_t slash = pattern.rfind('/');
  folder_ = slash == std::string::npos ? "." : pattern.substr(0, slash == 0 ? 1 : slash);
  name_ = slash == std::string::npos ? pattern : pattern.substr(slash + 1);
}

bool FilePattern::matches(const std::string& name) const {
  if (name_.empty()) return name[0] != '.' && is_image_name(name);
  return ::fnmatch(name_.c_str(), name.c_str(), FNM_PERIOD) == 0;
}

Result<std::vector<FileStamp>> FilePattern::matching() const {
  const std::unique_ptr<DIR, CloseDir> dir(::opendir(folder_.c_str()));
  if (!dir) return file_error(folder_, std::strerror(errno));
  std::vector<FileStamp> found;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == ".." || !matches(name)) continue;
    if (auto stamp = stamp_of(folder_ + "/" + name)) found.push_back(*std::move(stamp));
  }
  return found;
}

Result<std::vector<FileStamp>> FilePattern::all() const {
  auto found = matching();
  if (found) std::sort(found->begin(), found->end(), later);
  return found;
}

Result<std::optional<FileStamp>> FilePattern::newest() const {
  const auto found = matching();
  if (!found) return found.error();
  const auto newest = std::min_element(found->begin(), found->end(), later);
  return newest == found->end() ? std::nullopt : std::optional(*newest);
}

Result<std::vector<std::byte>> read_file(const std::string& path) {
  // Not blocking: the name may have become that of a pipe.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return file_error(path, std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return file_error(path, "it is not a file");
  if (static_cast<uint64_t>(info.st_size) > kMostBytes)
    return file_error(path, "it is larger than " + std::to_string(kMostBytes >> 20) + " MiB");
  try {
    std::vector<std::byte> bytes(static_cast<size_t>(info.st_size));
    size_t have = 0;
    while (have < bytes.size()) {
      const ssize_t got = ::read(fd.get(), bytes.data() + have, bytes.size() - have);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return file_error(path, std::strerror(errno));
      if (got == 0) break;
      have += static_cast<size_t>(got);
    }
    bytes.resize(have);
    return bytes;
  } catch (const std::bad_alloc&) {
    return file_error(path, "there is not enough memory for it");
  }
}

}  // namespace seamscope::files
