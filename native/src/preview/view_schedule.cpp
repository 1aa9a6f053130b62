#include "preview/view_schedule.hpp"

#include <algorithm>

namespace seamscope {
namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
}

void ViewSchedule::set_max_rate(double rate) {
  const double interval = 1000.0 / std::clamp(rate, 0.1, 1000.0);
  due_ += interval - interval_;  // a wait already begun is measured by the new rate
  if (interval_ == 0) due_ = 0;
  interval_ = interval;
}

void ViewSchedule::change(double now) {
  outdated_ = true;
  lossless_sent_ = false;
  rest_at_ = now + kRestMs;
}

void ViewSchedule::pause(bool paused, double now) {
  if (paused && !paused_ && has_picture_) rest_at_ = std::min(rest_at_, outdated_ ? now + kRestMs : now);
  paused_ = paused;
  if (!paused) step_ = false;
}

void ViewSchedule::step(double now) {
  if (!paused_) return;
  step_ = true;
  due_ = std::min(due_, now);
}

ViewAction ViewSchedule::next(double now, bool frame_there) const {
  if (!may_make()) return ViewAction::None;
  if (frame_there && wants_frames() && now >= due_) return ViewAction::Frame;
  if (!has_picture_) return ViewAction::None;
  if (outdated_) return ViewAction::Redraw;
  return !lossless_sent_ && now >= rest_at_ ? ViewAction::Lossless : ViewAction::None;
}

bool ViewSchedule::joins(double now) const {
  return may_make() && wants_frames() && now >= due_ - interval_ / 2;
}

double ViewSchedule::wants_source_until() const {
  if (!wants_frames()) return -kNever;
  return credits_ > 0 ? kNever : spent_at_ + kAwayMs;
}

double ViewSchedule::wake_at(bool frame_there) const {
  if (!may_make()) return kNever;
  const double frame = frame_there && wants_frames() ? due_ : kNever;
  return std::min(frame, has_picture_ && !lossless_sent_ ? rest_at_ : kNever);
}

void ViewSchedule::made(ViewAction action, double now) {
  --credits_;
  spent_at_ = now;
  waiting_ = true;
  outdated_ = false;
  if (action == ViewAction::Lossless) {
    lossless_sent_ = true;
    return;
  }
  has_picture_ = true;
  if (action == ViewAction::Frame) step_ = false;
  lossless_sent_ = false;
  rest_at_ = now + kRestMs;
  // Keeps the rhythm through small delays and starts a new one after a long one.
  if (action == ViewAction::Frame) due_ = now - due_ < interval_ ? due_ + interval_ : now + interval_;
}

void ViewSchedule::passed(double now) {
  if (paused_ || credits_ > 0 || now < due_ - interval_ / 2) return;
  ++dropped_;
  due_ = now + interval_;
}

}  // namespace seamscope
