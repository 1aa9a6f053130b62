#pragma once
// Watched image files as a source: the newest one is the frame. For renderers that only write files.

#include <memory>
#include <string>

#include "preview/frame_source.hpp"

namespace seamscope::files {

// Waits up to `patience_ms` for a first image that can be read. Error when none is there by then.
Result<std::unique_ptr<FrameSource>> open_files_source(const std::string& pattern, double patience_ms = 2000);

}  // namespace seamscope::files
