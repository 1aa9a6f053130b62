#pragma once
// When a view gets which picture. Pure bookkeeping: time comes in as an argument, so tests can run it on a made-up
// clock.

#include <cstdint>
#include <limits>

namespace seamscope {

// Without a change for this long (ms), a picture is at rest and is sent once more, lossless.
constexpr double kRestMs = 150;
// Credits come back within a picture's round trip; who has none for this long (ms) is not looking.
constexpr double kAwayMs = 500;

enum class ViewAction {
  None,
  Frame,     // a new frame of the source
  Redraw,    // the frame already shown, with changed parameters
  Lossless,  // the picture already shown, without loss
};

class ViewSchedule {
 public:
  explicit ViewSchedule(double max_rate) { set_max_rate(max_rate); }

  // Pictures a second at most; a redraw of the same frame does not count.
  void set_max_rate(double rate);
  // The parameters changed: the picture shown is out of date.
  void change(double now);
  void credit(uint32_t count) { credits_ += count; }
  // Asks for the lossless picture at once when it starts a pause.
  void pause(bool paused, double now);

  // `frame_there`: whether the source has a frame that this view has not shown.
  ViewAction next(double now, bool frame_there = true) const;
  // Whether a frame that is being made for another view should serve this one too, rather than being followed by one of
  // its own.
  bool joins(double now) const;
  // The earliest time at which next() can change by itself; infinity when only an event can change it.
  double wake_at(bool frame_there = true) const;

  // Whether the producer of frames should hand them over for this view: until a while after its last credit.
  bool wants_source(double now) const { return now < wants_source_until(); }
  double wants_source_until() const;
  // What was shown belongs to another output: the next frame is wanted, in a pause too.
  void forget_picture() { has_picture_ = false; }

  // A paused view takes one more frame.
  void step(double now);

  // A picture was made for this action: takes one credit.
  void made(ViewAction action, double now);
  // The encoder has taken the picture, so that the next one may be made.
  void picked_up() { waiting_ = false; }
  // A frame went by. Counted as dropped when it is only for want of credit that this view did not show it.
  void passed(double now);

  bool paused() const { return paused_; }
  bool has_picture() const { return has_picture_; }
  uint64_t dropped() const { return dropped_; }

 private:
  bool may_make() const { return credits_ > 0 && !waiting_; }
  bool wants_frames() const { return !paused_ || step_ || !has_picture_; }

  uint32_t credits_ = 0;
  bool paused_ = false, step_ = false, waiting_ = false, has_picture_ = false, outdated_ = false,
       lossless_sent_ = false;
  double interval_ = 0, due_ = 0, spent_at_ = -std::numeric_limits<double>::infinity(),
         rest_at_ = std::numeric_limits<double>::infinity();
  uint64_t dropped_ = 0;
};

}  // namespace seamscope
