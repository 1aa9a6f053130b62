// The distribution of values, on the host and on the device.

#include <cmath>
#include <numeric>

#include "cpu_passes_frames.hpp"
#include "gpu_device.hpp"
#include "preview/cpu_ingest.hpp"
#include "preview/gpu_histogram.hpp"
#include "preview/histogram.hpp"

using namespace seamscope;
using test::dense_frame;
using test::TestFrame;

namespace {

Histogram counted(const TestFrame& frame, const ViewParams& params = {}, unsigned threads = 3) {
  ThreadPool pool(threads);
  const FrameStats stats = cpu_ingest(pool, frame.data(), frame.desc);
  return cpu_histogram(pool, frame.data(), frame.desc, histogram_span(frame.desc, params, stats));
}

uint64_t total(const Histogram& histogram) {
  return std::accumulate(histogram.counts.begin(), histogram.counts.end(), uint64_t{0});
}

// Every kind of value, odd sizes.
TestFrame mixed(Dtype dtype) {
  std::vector<float> values(size_t{61} * 37 * 4);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i) * 0.37f) * 5.0f;
  values[100] = NAN;
  values[201] = INFINITY;
  values[302] = -INFINITY;
  if (dtype == Dtype::F32) return dense_frame(dtype, 61, 37, 4, values, OutputKind::Hdr, ColorSpace::Linear);
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * 4);
  std::vector<uint16_t> narrow(values.size());
  for (size_t i = 0; i < bits.size(); ++i) narrow[i] = static_cast<uint16_t>(bits[i] >> 16);
  return dense_frame(dtype, 61, 37, 4, narrow, OutputKind::Hdr, ColorSpace::Linear);
}

}  // namespace

TEST_CASE("bytes have a bin each, alpha is not counted") {
  const auto frame = dense_frame<uint8_t>(Dtype::U8, 2, 1, 4, {0, 1, 255, 9, 1, 1, 128, 9}, OutputKind::Color);
  const Histogram histogram = counted(frame);
  CHECK(histogram.low == 0);
  CHECK(histogram.high == 255);
  CHECK(histogram.counts[0] == 1);
  CHECK(histogram.counts[1] == 3);
  CHECK(histogram.counts[128] == 1);
  CHECK(histogram.counts[255] == 1);
  CHECK(total(histogram) == 6);
  CHECK(histogram.mean == doctest::Approx((0 + 1 + 255 + 1 + 1 + 128) / 6.0));
}

TEST_CASE("what lies outside the range of the view is counted beside it, what is not finite nowhere") {
  const auto frame = dense_frame<float>(Dtype::F32, 6, 1, 1, {-5.0f, 0.0f, 0.5f, 1.0f, 7.0f, NAN}, OutputKind::Depth);
  ViewParams params;
  params.range = {{0.0, 1.0}};
  const Histogram histogram = counted(frame, params);
  CHECK(histogram.below == 1);
  CHECK(histogram.above == 1);
  CHECK(histogram.counts[0] == 1);
  CHECK(histogram.counts[128] == 1);
  CHECK(histogram.counts[255] == 1);
  CHECK(histogram.mean == doctest::Approx(3.5 / 5));
  const auto flat = dense_frame<float>(Dtype::F32, 2, 1, 1, {3.0f, 3.0f});
  CHECK(counted(flat).counts[0] == 2);
}

TEST_CASE("threads and bit patterns count the same as one value after the other") {
  for (const Dtype dtype : {Dtype::F32, Dtype::BF16, Dtype::F16, Dtype::U16, Dtype::I16}) {
    CAPTURE(static_cast<int>(dtype));
    const TestFrame frame = mixed(dtype);
    ThreadPool pool(1);
    const FrameStats stats = cpu_ingest(pool, frame.data(), frame.desc);
    const Histogram many = counted(frame), one = counted(frame, {}, 1);
    CHECK(many.counts == one.counts);
    CHECK(many.mean == doctest::Approx(one.mean));
    CHECK(total(one) == size_t{61} * 37 * 3 - stats.nan - stats.inf);
  }
}

TEST_CASE("passes: the device counts what the host counts") {
  const auto device = test::device();
  if (!device) return;
  ThreadPool pool(1);
  for (const uint64_t window : {uint64_t{0}, uint64_t{8192}}) {
    auto gpu = GpuHistogram::create(device, window);
    REQUIRE(gpu);
    for (const Dtype dtype : {Dtype::F32, Dtype::BF16, Dtype::F16, Dtype::U16, Dtype::I16}) {
      CAPTURE(static_cast<int>(dtype));
      const TestFrame frame = mixed(dtype);
      const auto buffer = test::upload(device, frame.bytes);
      ViewParams params;
      for (const bool ranged : {false, true}) {
        if (ranged) params.range = {{-2.0, 3.0}};
        const FrameStats stats = cpu_ingest(pool, frame.data(), frame.desc);
        const auto span = histogram_span(frame.desc, params, stats);
        const Histogram host = cpu_histogram(pool, frame.data(), frame.desc, span);
        const auto there = (*gpu)->run(buffer.device(), frame.desc, span);
        REQUIRE(there);
        CHECK(there->counts == host.counts);
        CHECK(there->below == host.below);
        CHECK(there->above == host.above);
        CHECK(there->mean == doctest::Approx(host.mean).epsilon(1e-4 * (1 + stats.max - stats.min)));
      }
    }
  }
}
