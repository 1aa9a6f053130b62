#pragma once
// Who owns which handle, what it depends on, and where each file descriptor went. It knows before a driver is asked
// what an order of destruction would do.

#include <cstdint>
#include <string>
#include <vector>

namespace seamscope::interop {

using LedgerId = uint32_t;  // 0 = none

enum class FdFate { Open, Consumed, Closed };

// A release that comes too early.
struct LedgerViolation {
  std::string released;              // the handle
  std::vector<std::string> used_by;  // what still depends on it
  std::string consequence;           // what may happen, in one sentence
};

class Ledger {
 public:
  // `owner` is "Vulkan", "CUDA" or "host"; `label` names the handle for a reader, for example "import of slot 0".
  LedgerId acquire(std::string owner, std::string label, std::vector<LedgerId> depends_on = {});
  // Idempotent. Keeps a violation when something alive depends on it.
  void release(LedgerId id);

  // A file descriptor made by exporting `of`; it belongs to us until an import consumes it or we close it.
  LedgerId fd_exported(LedgerId of);
  void fd_settled(LedgerId fd, FdFate fate);

  // What releasing the handles in this order would violate. Handles not named stay alive.
  std::vector<LedgerViolation> predict(const std::vector<LedgerId>& order) const;
  const std::vector<LedgerViolation>& violations() const { return violations_; }

  // Labels of what is still alive, newest first: the order in which it may be released.
  std::vector<std::string> open_handles() const;
  // File descriptors that are still ours.
  std::vector<std::string> open_fds() const;

 private:
  struct Node {
    std::string owner, label;
    std::vector<LedgerId> depends_on;
    bool alive = true;
  };
  struct Descriptor {
    LedgerId of;
    FdFate fate = FdFate::Open;
  };
  std::vector<LedgerId> users_of(LedgerId id, const std::vector<bool>& alive) const;
  LedgerViolation describe(LedgerId released, const std::vector<LedgerId>& users) const;
  std::string text(LedgerId id) const;
  std::vector<bool> alive_now() const;

  std::vector<Node> nodes_;
  std::vector<Descriptor> descriptors_;
  std::vector<LedgerViolation> violations_;
};

}  // namespace seamscope::interop
