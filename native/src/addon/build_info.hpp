#pragma once
// What this binary was built with, for the report.

#include <string>

namespace seamscope {

// Must equal PROTOCOL_VERSION of helper/protocol/version.ts.
constexpr int kProtocolVersion = 1;

std::string build_info();

// Which sources it was built from, as scripts/lib/build-id.mjs works it out; empty when the build did not say.
std::string build_id();

}  // namespace seamscope
