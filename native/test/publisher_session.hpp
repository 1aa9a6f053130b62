#pragma once
// seamscope.h inside the test process, closed again at the end of the test.

#include <optional>
#include <string>

#include "publisher_hub.hpp"

#undef SEAMSCOPE_WIRE_ONLY
#include "../publisher/seamscope.h"

namespace seamscope::test {

class PublisherSession {
 public:
  explicit PublisherSession(const std::string& socket) {
    seamscope_options options{};
    options.name = "tests";
    options.socket = socket.c_str();
    opened_ = seamscope_open(&options) == 1;
  }
  ~PublisherSession() { seamscope_close(); }
  PublisherSession(const PublisherSession&) = delete;
  PublisherSession& operator=(const PublisherSession&) = delete;
  bool opened() const { return opened_; }

 private:
  bool opened_ = false;
};

inline seamscope_frame_desc frame_of(uint32_t width, uint32_t height, uint32_t dtype = SEAMSCOPE_U8,
                                     uint32_t channels = 4) {
  seamscope_frame_desc desc{};
  desc.width = width;
  desc.height = height;
  desc.dtype = dtype;
  desc.channels = channels;
  return desc;
}

// Offers `name`, connects and wants it: its index.
inline std::optional<uint32_t> watch(TestHub& hub, const std::string& name) {
  seamscope_wanted(name.c_str());
  const auto output = hub.wait_for_output(name);
  if (output) hub.want(*output);
  return output;
}

// Publishes until a frame arrives, as the first ones are skipped while the ring is offered.
template <typename Publish>
std::optional<HubFrame> first_frame(TestHub& hub, uint32_t output, Publish publish, int timeout_ms = 3000) {
  for (int waited = 0; waited < timeout_ms; waited += 2) {
    publish();
    hub.pump(2);
    if (auto frame = hub.take(output)) return frame;
  }
  return std::nullopt;
}

}  // namespace seamscope::test
