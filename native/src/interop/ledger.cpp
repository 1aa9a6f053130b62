#include "interop/ledger.hpp"

#include <algorithm>

namespace seamscope::interop {

LedgerId Ledger::acquire(std::string owner, std::string label, std::vector<LedgerId> depends_on) {
  nodes_.push_back({std::move(owner), std::move(label), std::move(depends_on)});
  return static_cast<LedgerId>(nodes_.size());
}

std::string Ledger::text(LedgerId id) const {
  const Node& node = nodes_[id - 1];
  return node.owner + ": " + node.label;
}

std::vector<bool> Ledger::alive_now() const {
  std::vector<bool> alive(nodes_.size() + 1);
  for (size_t i = 0; i < nodes_.size(); ++i) alive[i + 1] = nodes_[i].alive;
  return alive;
}

std::vector<LedgerId> Ledger::users_of(LedgerId id, const std::vector<bool>& alive) const {
  std::vector<LedgerId> users;
  for (LedgerId other = 1; other <= nodes_.size(); ++other) {
    const auto& needs = nodes_[other - 1].depends_on;
    if (alive[other] && std::find(needs.begin(), needs.end(), id) != needs.end()) users.push_back(other);
  }
  return users;
}

LedgerViolation Ledger::describe(LedgerId released, const std::vector<LedgerId>& users) const {
  LedgerViolation violation{text(released), {}, ""};
  bool other_api = false;
  for (const LedgerId user : users) {
    violation.used_by.push_back(text(user));
    other_api |= nodes_[user - 1].owner != nodes_[released - 1].owner;
  }
  violation.consequence =
      other_api ? "The other side still refers to freed memory: its next access is undefined unless the driver counts "
                  "references."
                : "An object is destroyed before what was made from it: undefined by the specification.";
  return violation;
}

void Ledger::release(LedgerId id) {
  if (id == 0 || !nodes_[id - 1].alive) return;
  nodes_[id - 1].alive = false;
  if (const auto users = users_of(id, alive_now()); !users.empty()) violations_.push_back(describe(id, users));
}

LedgerId Ledger::fd_exported(LedgerId of) {
  descriptors_.push_back({of});
  return static_cast<LedgerId>(descriptors_.size());
}

void Ledger::fd_settled(LedgerId fd, FdFate fate) {
  if (fd) descriptors_[fd - 1].fate = fate;
}

std::vector<LedgerViolation> Ledger::predict(const std::vector<LedgerId>& order) const {
  auto alive = alive_now();
  std::vector<LedgerViolation> found;
  for (const LedgerId id : order) {
    if (id == 0 || !alive[id]) continue;
    alive[id] = false;
    if (const auto users = users_of(id, alive); !users.empty()) found.push_back(describe(id, users));
  }
  return found;
}

std::vector<std::string> Ledger::open_handles() const {
  std::vector<std::string> open;
  for (size_t i = nodes_.size(); i-- > 0;)
    if (nodes_[i].alive) open.push_back(text(static_cast<LedgerId>(i + 1)));
  return open;
}

std::vector<std::string> Ledger::open_fds() const {
  std::vector<std::string> open;
  for (const auto& descriptor : descriptors_)
    if (descriptor.fate == FdFate::Open) open.push_back("fd of " + text(descriptor.of));
  return open;
}

}  // namespace seamscope::interop
