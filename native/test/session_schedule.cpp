// When a view gets which picture, on a made-up clock.

#include <doctest/doctest.h>

#include <limits>

#include "preview/view_schedule.hpp"

using seamscope::kRestMs;
using seamscope::ViewAction;
using seamscope::ViewSchedule;

namespace {

// Makes the picture that is due and lets the encoder take it.
ViewAction make(ViewSchedule& schedule, double now) {
  const ViewAction action = schedule.next(now);
  if (action == ViewAction::None) return action;
  schedule.made(action, now);
  schedule.picked_up();
  return action;
}

}  // namespace

TEST_CASE("a view without credit gets nothing") {
  ViewSchedule schedule(60);
  CHECK(schedule.next(0) == ViewAction::None);
  CHECK(schedule.wake_at() == std::numeric_limits<double>::infinity());
  schedule.credit(2);
  CHECK(make(schedule, 0) == ViewAction::Frame);
  CHECK(make(schedule, 1000) == ViewAction::Frame);
  CHECK(make(schedule, 2000) == ViewAction::None);
}

TEST_CASE("only one picture waits for the encoder") {
  ViewSchedule schedule(60);
  schedule.credit(5);
  schedule.made(schedule.next(0), 0);
  CHECK(schedule.next(1000) == ViewAction::None);
  schedule.picked_up();
  CHECK(schedule.next(1000) == ViewAction::Frame);
}

TEST_CASE("frames keep the rate, through small delays too") {
  ViewSchedule schedule(50);  // every 20 ms
  schedule.credit(100);
  CHECK(make(schedule, 100) == ViewAction::Frame);
  CHECK(make(schedule, 119) == ViewAction::None);
  CHECK(schedule.wake_at() == 120);
  CHECK(make(schedule, 125) == ViewAction::Frame);
  CHECK(schedule.wake_at() == 140);
  CHECK(make(schedule, 500) == ViewAction::Frame);  // a long delay starts a new rhythm: no burst
  CHECK(schedule.wake_at() == 520);
}

TEST_CASE("a changed rate measures the wait already begun") {
  ViewSchedule schedule(1);
  schedule.credit(9);
  CHECK(make(schedule, 1000) == ViewAction::Frame);
  schedule.set_max_rate(100);
  CHECK(schedule.wake_at() == 1010);
}

TEST_CASE("a view joins a frame made for another one when its own is near") {
  ViewSchedule schedule(50);
  schedule.credit(9);
  make(schedule, 100);
  CHECK_FALSE(schedule.joins(105));
  CHECK(schedule.joins(111));
  schedule.pause(true, 112);
  CHECK_FALSE(schedule.joins(200));
}

TEST_CASE("frames are dropped for want of credit only") {
  ViewSchedule schedule(50);
  schedule.credit(1);
  make(schedule, 100);
  schedule.passed(105);  // sooner than its rate
  CHECK(schedule.dropped() == 0);
  schedule.passed(121);
  CHECK(schedule.dropped() == 1);
  schedule.credit(1);
  schedule.passed(200);
  CHECK(schedule.dropped() == 1);
  make(schedule, 200);
  schedule.pause(true, 201);
  schedule.passed(300);
  CHECK(schedule.dropped() == 1);
}

TEST_CASE("a pause sends one lossless picture at once, and no more frames") {
  ViewSchedule schedule(60);
  schedule.credit(9);
  make(schedule, 0);
  schedule.pause(true, 5);
  CHECK(make(schedule, 5) == ViewAction::Lossless);
  CHECK(make(schedule, 5000) == ViewAction::None);
  schedule.pause(false, 6000);
  CHECK(make(schedule, 6000) == ViewAction::Frame);
  schedule.pause(true, 6001);
  CHECK(make(schedule, 6001) == ViewAction::Lossless);
}

TEST_CASE("a change on a paused view is answered at once, and without loss when it rests") {
  ViewSchedule schedule(60);
  schedule.credit(9);
  make(schedule, 0);
  schedule.pause(true, 1);
  make(schedule, 1);
  schedule.change(100);
  CHECK(make(schedule, 100) == ViewAction::Redraw);
  schedule.change(150);
  CHECK(make(schedule, 150) == ViewAction::Redraw);
  CHECK(make(schedule, 150 + kRestMs - 1) == ViewAction::None);
  CHECK(schedule.wake_at() == 150 + kRestMs);
  CHECK(make(schedule, 150 + kRestMs) == ViewAction::Lossless);
  CHECK(make(schedule, 9000) == ViewAction::None);
}

TEST_CASE("a slow view is sent without loss between its frames") {
  ViewSchedule schedule(1);
  schedule.credit(9);
  CHECK(make(schedule, 0) == ViewAction::Frame);
  CHECK(make(schedule, 149) == ViewAction::None);
  CHECK(make(schedule, 150) == ViewAction::Lossless);
  CHECK(make(schedule, 999) == ViewAction::None);
  CHECK(make(schedule, 1000) == ViewAction::Frame);
}

TEST_CASE("a view that is paused before its first picture still gets one") {
  ViewSchedule schedule(60);
  schedule.pause(true, 0);
  schedule.credit(9);
  CHECK(make(schedule, 1) == ViewAction::Frame);
  CHECK(make(schedule, 100) == ViewAction::None);
  CHECK(make(schedule, 1 + kRestMs) == ViewAction::Lossless);
}
