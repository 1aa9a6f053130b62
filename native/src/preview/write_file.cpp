#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/unique_fd.hpp"
#include "preview/save.hpp"

namespace seamscope {
namespace {

Error write_error(const std::string& path, int code) {
  return {"The file " + path + " could not be written: " + std::strerror(code) + ".",
          "Choose a folder that exists, is writable and has free space.",
          {}};
}

// Returns 0 or errno.
int write_all(int fd, std::span<const uint8_t> contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    contents = contents.subspan(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace

Result<uint64_t> write_file(const std::string& path, std::span<const uint8_t> contents) {
  const std::string beside = path + "." + std::to_string(::getpid()) + ".part";
  UniqueFd fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!fd) return write_error(path, errno);
  int failed = write_all(fd.get(), contents);
  if (!failed && ::rename(beside.c_str(), path.c_str()) != 0) failed = errno;
  if (!failed) return contents.size();
  ::unlink(beside.c_str());
  return write_error(path, failed);
}

}  // namespace seamscope
