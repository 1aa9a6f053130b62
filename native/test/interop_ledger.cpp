#include <doctest/doctest.h>

#include "interop/ledger.hpp"

using namespace seamscope::interop;
using Strings = std::vector<std::string>;

TEST_CASE("ledger: predicts an order without changing anything, then sees it happen") {
  Ledger ledger;
  const auto memory = ledger.acquire("Vulkan", "memory");
  const auto buffer = ledger.acquire("Vulkan", "buffer", {memory});
  const auto import = ledger.acquire("CUDA", "import", {memory});
  CHECK(ledger.predict({import, buffer, memory}).empty());
  CHECK(ledger.predict({buffer, import, memory}).empty());
  const auto violations = ledger.predict({memory, import, buffer});
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].released == "Vulkan: memory");
  CHECK(violations[0].used_by == Strings{"Vulkan: buffer", "CUDA: import"});
  CHECK(violations[0].consequence.find("other side") != std::string::npos);
  CHECK(ledger.violations().empty());
  CHECK(ledger.open_handles() == Strings{"CUDA: import", "Vulkan: buffer", "Vulkan: memory"});

  ledger.release(memory);
  ledger.release(memory);  // idempotent: one violation
  REQUIRE(ledger.violations().size() == 1);
  CHECK(ledger.violations()[0].used_by == violations[0].used_by);
}

TEST_CASE("ledger: within one API the consequence is the specification's") {
  Ledger ledger;
  const auto device = ledger.acquire("Vulkan", "device");
  ledger.acquire("Vulkan", "memory", {device});
  const auto violations = ledger.predict({device});
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].consequence.find("specification") != std::string::npos);
}

TEST_CASE("ledger: a descriptor is ours until it is consumed or closed") {
  Ledger ledger;
  const auto memory = ledger.acquire("CUDA", "allocation");
  const auto first = ledger.fd_exported(memory), second = ledger.fd_exported(memory);
  CHECK(ledger.open_fds() == Strings{"fd of CUDA: allocation", "fd of CUDA: allocation"});
  ledger.fd_settled(first, FdFate::Consumed);
  ledger.fd_settled(second, FdFate::Closed);
  CHECK(ledger.open_fds().empty());
  ledger.release(0);  // "none" is nobody's handle
  ledger.fd_settled(0, FdFate::Closed);
}
