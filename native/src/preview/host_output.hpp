#pragma once
// The host bytes of a frame's output, checked against their description: the C++ passes index them without further
// tests.

#include <cstddef>
#include <span>

#include "preview/passes.hpp"

namespace seamscope {

// Error when the output was not rendered, the device is lost, or fewer bytes are there than the description reaches.
Result<std::span<const std::byte>> host_output(const OutputRef& output);

}  // namespace seamscope
