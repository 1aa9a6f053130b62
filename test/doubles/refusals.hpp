#pragma once
// Lets every driver call of a run fail in turn.

#include <nlohmann/json.hpp>

namespace doubles {

// Prints one JSON line for each refused call: {"call", "error", "openHandles", "fdsLeft"}. Returns the exit code.
int refuse_every_call(const nlohmann::json& job);

}  // namespace doubles
