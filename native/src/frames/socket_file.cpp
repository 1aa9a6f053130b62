#include "frames/socket_file.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace seamscope::frames {
namespace {

constexpr int kBacklog = 64;
constexpr std::string_view kEnding = ".sock";

Error failed(const std::string& what, const std::string& path) {
  return Error{what + " " + path + " failed: " + std::strerror(errno) + ".",
               "Set XDG_RUNTIME_DIR to a folder of yours, for the editor and for the programs that publish.",
               std::strerror(errno)};
}

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return Error{"The path " + path + " has " + std::to_string(path.size()) + " bytes; a socket's may have " +
                     std::to_string(sizeof address.sun_path - 1) + ".",
                 "Set XDG_RUNTIME_DIR to a shorter folder of yours, for the editor and for the programs that publish.",
                 ""};
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

UniqueFd new_socket() {
  return UniqueFd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

enum class Listener { Alive, Dead, Absent };

Listener look(const sockaddr_un& address) {
  const UniqueFd probe = new_socket();
  if (!probe) return Listener::Alive;  // not known: leave it alone
  if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return Listener::Alive;
  if (errno == ENOENT) return Listener::Absent;
  return errno == ECONNREFUSED ? Listener::Dead : Listener::Alive;
}

}  // namespace

std::string default_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime && runtime[0] == '/') return std::string(runtime) + "/seamscope";
  return "/tmp/seamscope-" + std::to_string(geteuid());
}

Result<void> check_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return failed("Making the folder", folder);
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0) return failed("Looking at the folder", folder);
  const bool own = S_ISDIR(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 07777) == 0700;
  if (own) return {};
  const std::string what = !S_ISDIR(status.st_mode)     ? "is no folder"
                           : status.st_uid != geteuid() ? "belongs to another user"
                                                        : "can be entered by others: its mode is not 0700";
  return Error{folder + " " + what + ", so no program can publish frames there.",
               "Remove it or mend its owner and mode (chmod 700).", ""};
}

Result<SocketFile> SocketFile::listen(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name + std::string(kEnding);
  // Appears under its name only once it listens: whoever finds a file that refuses may remove it.
  const std::string draft = folder + "/." + std::to_string(getpid()) + ".new";
  const auto address = address_of(path), draft_address = address_of(draft);
  if (!address) return address.error();
  if (!draft_address) return draft_address.error();
  if (look(*address) == Listener::Alive)
    return Error{"Another engine listens at " + path + ".",
                 "Close the other window or engine, or go on with its preview.", ""};
  SocketFile file;
  file.socket_ = new_socket();
  if (!file.socket_) return failed("A socket for", path);
  unlink(draft.c_str());
  if (bind(file.fd(), reinterpret_cast<const sockaddr*>(&*draft_address), sizeof(sockaddr_un)) != 0)
    return failed("Binding", path);
  struct stat status {};
  if (::listen(file.fd(), kBacklog) != 0 || stat(draft.c_str(), &status) != 0 ||
      rename(draft.c_str(), path.c_str()) != 0) {
    const Error error = failed("Listening at", path);
    unlink(draft.c_str());
    return error;
  }
  file.path_ = path;
  file.device_ = status.st_dev;
  file.inode_ = status.st_ino;
  return file;
}

SocketFile& SocketFile::operator=(SocketFile&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(path_, other.path_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  return *this;
}

SocketFile::~SocketFile() {
  struct stat status {};
  // A later hub may have taken the name.
  if (!path_.empty() && lstat(path_.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_)
    unlink(path_.c_str());
}

void remove_dead_sockets(const std::string& folder) {
  DIR* directory = opendir(folder.c_str());
  if (!directory) return;
  while (const dirent* entry = readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name.size() <= kEnding.size() || name.substr(name.size() - kEnding.size()) != kEnding) continue;
    const std::string path = folder + "/" + entry->d_name;
    const auto address = address_of(path);
    if (address && look(*address) == Listener::Dead) unlink(path.c_str());
  }
  closedir(directory);
}

}  // namespace seamscope::frames
