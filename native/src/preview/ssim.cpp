#include <algorithm>
#include <array>
#include <cmath>

#include "preview/number_row.hpp"
#include "preview/passes.hpp"

namespace seamscope {
namespace {

constexpr int kRadius = 5, kTaps = 2 * kRadius + 1;
constexpr size_t kMaps = 5;  // a, b, a*a, b*b, a*b

std::array<float, kTaps> gaussian() {
  std::array<float, kTaps> weights;
  double sum = 0;
  for (int i = -kRadius; i <= kRadius; ++i) sum += std::exp(-i * i / (2 * 1.5 * 1.5));
  for (int i = -kRadius; i <= kRadius; ++i)
    weights[static_cast<size_t>(i + kRadius)] = static_cast<float>(std::exp(-i * i / (2 * 1.5 * 1.5)) / sum);
  return weights;
}

using Row = std::vector<float>;

// Luminance of one row over the peak, so that values near 1 keep their precision; with `kRadius` repeated texels at
// either end.
void luminance_row(const ImageView& image, uint32_t y, double peak, std::vector<double>& numbers, Row& out) {
  const size_t channels = stat_channels(*image.desc), width = image.desc->width;
  read_numbers(image.bytes, *image.desc, y, numbers);
  for (size_t x = 0; x < width; ++x) {
    const double* v = &numbers[x * channels];
    const double l = channels < 3 ? v[0] : 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
    out[x + kRadius] = std::isfinite(l) ? static_cast<float>(l / peak) : 0.0f;
  }
  std::fill_n(out.begin(), kRadius, out[kRadius]);
  std::fill_n(out.end() - kRadius, kRadius, out[width + kRadius - 1]);
}

// The five maps of a row, each filtered along it.
using FilteredRow = std::array<Row, kMaps>;

class Band {
 public:
  Band(const ImageView& a, const ImageView& b, double peak)
      : a_(a), b_(b), peak_(peak), width_(a.desc->width), numbers_(width_ * stat_channels(*a.desc)) {
    row_a_.resize(width_ + 2 * kRadius);
    row_b_.resize(width_ + 2 * kRadius);
    for (FilteredRow& row : ring_)
      for (Row& map : row) map.resize(width_);
    for (Row& map : means_) map.resize(width_);
  }

  // The sum of SSIM over rows [begin, end).
  double sum(uint32_t begin, uint32_t end) {
    const int last = static_cast<int>(a_.desc->height) - 1;
    double total = 0;
    int have = static_cast<int>(begin) - kRadius - 1;
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      while (have < y + kRadius) {
        ++have;
        filter_along(static_cast<uint32_t>(std::clamp(have, 0, last)), slot(have));
      }
      filter_across(y);
      total += sum_row();
    }
    return total;
  }

 private:
  static size_t index(int row) { return static_cast<size_t>((row % kTaps + kTaps) % kTaps); }
  FilteredRow& slot(int row) { return ring_[index(row)]; }

  void filter_along(uint32_t y, FilteredRow& out) {
    luminance_row(a_, y, peak_, numbers_, row_a_);
    luminance_row(b_, y, peak_, numbers_, row_b_);
    for (Row& map : out) std::fill(map.begin(), map.end(), 0.0f);
    for (size_t t = 0; t < kTaps; ++t) {
      const float w = weights_[t], *a = &row_a_[t], *b = &row_b_[t];
      for (size_t x = 0; x < width_; ++x) {
        out[0][x] += w * a[x];
        out[1][x] += w * b[x];
        out[2][x] += w * a[x] * a[x];
        out[3][x] += w * b[x] * b[x];
        out[4][x] += w * a[x] * b[x];
      }
    }
  }

  void filter_across(int y) {
    for (size_t m = 0; m < kMaps; ++m) {
      std::fill(means_[m].begin(), means_[m].end(), 0.0f);
      for (int t = -kRadius; t <= kRadius; ++t) {
        const Row& row = slot(y + t)[m];
        const float w = weights_[static_cast<size_t>(t + kRadius)];
        for (size_t x = 0; x < width_; ++x) means_[m][x] += w * row[x];
      }
    }
  }

  double sum_row() const {
    constexpr float kC1 = 0.01f * 0.01f, kC2 = 0.03f * 0.03f;
    double total = 0;
    for (size_t x = 0; x < width_; ++x) {
      const float a = means_[0][x], b = means_[1][x];
      const float aa = means_[2][x] - a * a, bb = means_[3][x] - b * b, ab = means_[4][x] - a * b;
      total += (2 * a * b + kC1) * (2 * ab + kC2) / ((a * a + b * b + kC1) * (aa + bb + kC2));
    }
    return total;
  }

  ImageView a_, b_;
  double peak_;
  size_t width_;
  std::array<float, kTaps> weights_ = gaussian();
  std::vector<double> numbers_;
  Row row_a_, row_b_;
  std::array<FilteredRow, kTaps> ring_;
  FilteredRow means_;
};

}  // namespace

double ssim_of(ThreadPool& pool, const ImageView& a, const ImageView& b, double peak) {
  const uint32_t height = a.desc->height;
  if (!(peak > 0)) peak = 1;
  // A band begins with the rows above it: a few large bands.
  const uint32_t step = std::max((height + pool.threads() - 1) / pool.threads(), 1u);
  std::vector<double> sums((height + step - 1) / step);
  pool.parallel_for(static_cast<uint32_t>(sums.size()),
                    [&](uint32_t i) { sums[i] = Band(a, b, peak).sum(i * step, std::min((i + 1) * step, height)); });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total / (static_cast<double>(a.desc->width) * height);
}

}  // namespace seamscope
