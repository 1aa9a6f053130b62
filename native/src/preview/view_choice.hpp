#pragma once
// Which of the two view passes draws: the one that takes less time in the same case. What the other would take is
// measured aside, now and then, and not at all while it is known to be far dearer. Pure bookkeeping: costs come in as
// arguments, and time passes in pictures.

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "preview/frame.hpp"

namespace seamscope {

enum class ViewPass : uint32_t { Host, Device };

constexpr ViewPass other_pass(ViewPass pass) {
  return pass == ViewPass::Host ? ViewPass::Device : ViewPass::Host;
}

// Where the bytes of a frame lie when it is drawn.
enum class FramePlace : uint32_t {
  Host,    // the device has them after an upload; its owner is another program, as with Shared
  Both,    // either pass reads them as they are
  Device,  // the host has them after a read-back
  Shared,  // either pass reads them, and the GPU is another program's as well
};

// What the cost of a picture depends on. Sizes count by their powers of two.
struct ViewCase {
  FramePlace place = FramePlace::Host;
  Dtype dtype = Dtype::U8;
  bool ids = false;
  uint32_t frame = 0, seen = 0, picture = 0;  // bytes of the frame, texels in the rectangle, pixels drawn: log2

  auto key() const { return std::tie(place, dtype, ids, frame, seen, picture); }
  bool operator<(const ViewCase& other) const { return key() < other.key(); }
};

class ViewChoice {
 public:
  // Pictures of a case before the other pass is looked at: the first ones are not what later ones cost.
  static constexpr uint32_t kSettle = 30;
  // Pictures between looks, while it may soon draw and otherwise.
  static constexpr uint32_t kSoon = 8, kLater = 300;
  // Looks before it may draw, and how much dearer than it the pass that draws must be then.
  static constexpr uint32_t kLooks = 3;
  static constexpr double kMargin = 1.25;
  // So many times dearer, it is looked at again only when the one that draws has become kChanged times dearer.
  static constexpr double kFar = 3, kChanged = 2;
  // A GPU on which another program renders is asked only when the host takes this long (ms): half of a frame at 60 a
  // second.
  static constexpr double kBusyMs = 8;

  struct Plan {
    ViewPass pass;
    bool look;  // the other pass's cost is wanted
  };
  // `usual` draws while nothing is known.
  Plan plan(const ViewCase& view, ViewPass usual);
  // What a pass took (ms) for a picture that was shown, and for one that was made to measure it.
  void drew(const ViewCase& view, ViewPass pass, double ms);
  void looked(const ViewCase& view, ViewPass pass, double ms);
  // It cannot draw this case: never asked for again.
  void failed(const ViewCase& view, ViewPass pass);
  // Average of what it took lately; nothing while that is not known.
  std::optional<double> cost(const ViewCase& view, ViewPass pass) const;

 private:
  struct Average {
    double ms = 0;
    uint32_t count = 0;
    // A single straggler counts as three times the average at most.
    void add(double sample);
  };
  struct Entry {
    ViewPass draws;
    Average costs[2];
    bool refused[2] = {false, false};
    uint32_t since_look = 0;  // pictures
    double own_then = 0;      // what the one that draws took at the last look
  };
  static Average& of(Entry& entry, ViewPass pass) { return entry.costs[static_cast<uint32_t>(pass)]; }
  static bool wants_look(const ViewCase& view, Entry& entry);
  static bool is_cheaper(const Average& other, const Average& own);

  std::map<ViewCase, Entry> entries_;
};

}  // namespace seamscope
