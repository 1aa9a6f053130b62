#pragma once
// Where the hub listens: a socket file in a folder that only this user can enter.

#include <sys/socket.h>
#include <sys/types.h>

#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace seamscope::frames {

// $XDG_RUNTIME_DIR/seamscope, or /tmp/seamscope-UID without that variable.
std::string default_folder();

// Makes the folder when it is missing. Error unless it is a folder (no link) of this user with mode 0700.
Result<void> check_folder(const std::string& folder);

// Whether a process of these credentials may publish to this user's hub.
constexpr bool may_publish(const ucred& peer, uid_t own) {
  return peer.uid == own;
}

// A listening socket with its file, which goes with it.
class SocketFile {
 public:
  // Listens at FOLDER/NAME.sock. A file that nobody listens at any more is replaced; error when somebody does.
  static Result<SocketFile> listen(const std::string& folder, const std::string& name);
  SocketFile(SocketFile&& other) noexcept { *this = std::move(other); }
  SocketFile& operator=(SocketFile&& other) noexcept;
  ~SocketFile();

  int fd() const { return socket_.get(); }
  const std::string& path() const { return path_; }

 private:
  SocketFile() = default;

  UniqueFd socket_;
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// Removes files of hubs that ended without doing so.
void remove_dead_sockets(const std::string& folder);

}  // namespace seamscope::frames
