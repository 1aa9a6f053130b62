#pragma once
// SourceDescription of helper/protocol/frames.ts for publishers.

#include <string>
#include <vector>

#include "frames/publisher.hpp"

namespace seamscope {

// `passes`: which ones look at the frames, in words; empty while nobody looks.
std::string publisher_json_text(const frames::PublisherInfo& publisher, const std::string& passes);
std::string publishers_json_text(const std::vector<frames::PublisherInfo>& publishers);

}  // namespace seamscope
