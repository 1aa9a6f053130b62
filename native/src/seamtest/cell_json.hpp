#pragma once
// Cells and measurements as the JSON of helper/protocol/seamtest.ts.

#include <nlohmann/json.hpp>

#include "base/result.hpp"
#include "seamtest/cell.hpp"

namespace seamscope::seamtest {

nlohmann::json to_json(const Cell& cell);
// Missing members take Cell's defaults; the error names a member that is out of range.
Result<Cell> cell_from_json(const nlohmann::json& json);

nlohmann::json to_json(const Error& error);
Error error_from_json(const nlohmann::json& json);

}  // namespace seamscope::seamtest
