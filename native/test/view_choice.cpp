// Which pass draws, from costs that the tests make up.

#include "preview/view_choice.hpp"

#include <doctest/doctest.h>

using namespace seamscope;

namespace {

constexpr ViewCase kOurs{FramePlace::Both, Dtype::U8, false, 22, 20, 18};
constexpr ViewCase kShared{FramePlace::Shared, Dtype::U8, false, 22, 20, 18};

// Draws pictures of one case whose passes cost what the test says; counts what is looked at.
struct Series {
  ViewChoice choice;
  ViewCase view = kOurs;
  ViewPass usual = ViewPass::Host;
  double costs[2] = {1, 1};  // host, device
  int looks = 0, switches = 0;
  ViewPass last = ViewPass::Host;

  void draw(int pictures) {
    for (int i = 0; i < pictures; ++i) {
      const auto plan = choice.plan(view, usual);
      switches += plan.pass != last;
      last = plan.pass;
      choice.drew(view, plan.pass, costs[static_cast<int>(plan.pass)]);
      if (!plan.look) continue;
      ++looks;
      const ViewPass other = other_pass(plan.pass);
      choice.looked(view, other, costs[static_cast<int>(other)]);
    }
  }
  void costs_are(double host, double device) {
    costs[0] = host;
    costs[1] = device;
  }
};

}  // namespace

TEST_CASE("view choice: the usual pass draws until the other one has been seen to be cheaper several times") {
  Series series;
  series.costs_are(4, 1);
  series.draw(ViewChoice::kSettle);
  CHECK(series.looks == 0);
  series.draw(1);
  CHECK(series.looks == 1);
  CHECK(series.last == ViewPass::Host);
  series.draw(ViewChoice::kLooks * ViewChoice::kSoon + 1);
  CHECK(series.last == ViewPass::Device);
  CHECK(series.switches == 1);
}

TEST_CASE("view choice: the other way round as well") {
  Series series;
  series.usual = series.last = ViewPass::Device;
  series.costs_are(1, 4);
  series.draw(100);
  CHECK(series.last == ViewPass::Host);
}

TEST_CASE("view choice: what is far dearer is looked at once, and again only when the cost has doubled") {
  Series series;
  series.costs_are(1, 40);
  series.draw(5000);
  CHECK(series.looks == 1);
  series.costs_are(1.6, 40);
  series.draw(1000);
  CHECK(series.looks == 1);
  series.costs_are(2.5, 40);
  series.draw(1000);
  CHECK(series.looks == 2);
  CHECK(series.last == ViewPass::Host);
}

TEST_CASE("view choice: costs that are alike change nothing, and are looked at seldom") {
  Series series;
  series.costs_are(1, 0.9);
  series.draw(3000);
  CHECK(series.switches == 0);
  CHECK(series.looks <= 3000 / static_cast<int>(ViewChoice::kLater) + 1);
  CHECK(series.looks >= 5);
}

TEST_CASE("view choice: one straggler decides nothing") {
  Series series;
  series.costs_are(1, 0.95);
  series.draw(100);
  series.costs_are(500, 0.95);
  series.draw(1);
  series.costs_are(1, 0.95);
  series.draw(200);
  CHECK(series.switches == 0);
}

TEST_CASE("view choice: it goes back when the device becomes busy") {
  Series series;
  series.costs_are(4, 1);
  series.draw(100);
  REQUIRE(series.last == ViewPass::Device);
  series.costs_are(4, 20);
  series.draw(100);
  CHECK(series.last == ViewPass::Host);
  CHECK(series.switches == 2);
}

TEST_CASE("view choice: a GPU on which another program renders is asked only when the host is slow") {
  Series series;
  series.view = kShared;
  series.costs_are(ViewChoice::kBusyMs - 1, 0.1);
  series.draw(1000);
  CHECK(series.looks == 0);
  series.costs_are(ViewChoice::kBusyMs * 2, 0.1);
  series.draw(200);
  CHECK(series.last == ViewPass::Device);
}

TEST_CASE("view choice: cases are apart") {
  Series series;
  series.costs_are(4, 1);
  series.draw(100);
  ViewCase larger = kOurs;
  ++larger.picture;
  CHECK(series.choice.plan(kOurs, ViewPass::Host).pass == ViewPass::Device);
  CHECK(series.choice.plan(larger, ViewPass::Host).pass == ViewPass::Host);
  CHECK_FALSE(series.choice.cost(larger, ViewPass::Device));
  CHECK(series.choice.cost(kOurs, ViewPass::Device) == doctest::Approx(1));
}

TEST_CASE("view choice: what cannot draw is never asked again") {
  Series series;
  series.costs_are(4, 1);
  series.draw(ViewChoice::kSettle);
  series.choice.failed(kOurs, ViewPass::Device);
  series.draw(1000);
  CHECK(series.looks == 0);
  CHECK(series.last == ViewPass::Host);
}

TEST_CASE("view choice: however many cases there are, it forgets rather than grows, and goes on") {
  Series series;
  series.costs_are(4, 1);
  for (uint32_t i = 0; i < 2000; ++i) {
    series.view.seen = i;
    series.draw(1);
  }
  series.view = kOurs;
  series.draw(100);
  CHECK(series.last == ViewPass::Device);
}
