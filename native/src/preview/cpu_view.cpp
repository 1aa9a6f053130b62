#include "preview/cpu_view.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "preview/passes.hpp"
#include "preview/row_filter.hpp"
#include "preview/row_finish.hpp"
#include "preview/texel.hpp"
#include "preview/view_bytes.hpp"
#include "preview/view_ids.hpp"

namespace seamscope {
namespace {

bool same_tap(const AxisTap& a, const AxisTap& b) {
  return a.first == b.first && a.count == b.count && a.head == b.head && a.tail == b.tail;
}

struct Job {
  ThreadPool& pool;
  const std::byte* bytes;
  const FrameDesc& desc;
  const ViewParams& params;
  std::vector<AxisTap> rows;
  Picture& picture;

  uint8_t* out(uint32_t y) const { return picture.rgba.data() + size_t{y} * picture.width * 4; }
  void clear(uint32_t y) const { std::memset(out(y), 0, size_t{picture.width} * 4); }
  // Rows of a magnified picture show the same texels several times: what is there already is copied. `begin` is the
  // first row of the band that this thread draws.
  bool repeat(uint32_t begin, uint32_t y) const {
    if (y == begin || !same_tap(rows[y], rows[y - 1])) return false;
    std::memcpy(out(y), out(y - 1), size_t{picture.width} * 4);
    return true;
  }

  // Calls band(begin, end) for bands of picture rows, on all threads.
  template <typename Band>
  void for_bands(Band&& band) const {
    const uint32_t step = band_rows(picture.height, pool.threads());
    pool.parallel_for((picture.height + step - 1) / step,
                      [&](uint32_t i) { band(i * step, std::min((i + 1) * step, picture.height)); });
  }
};

// Whether values that need care may occur: then the slower path looks at every texel.
bool may_hold_special(const FrameStats& stats) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return stats.nan != 0 || stats.inf != 0 || stats.min < -kLargest || stats.max > kLargest;
}

void view_bytes(const Job& job, const ByteView& view) {
  job.for_bands([&](uint32_t begin, uint32_t end) {
    for (uint32_t y = begin; y < end; ++y) {
      if (job.repeat(begin, y)) continue;
      if (job.rows[y].count == 0)
        job.clear(y);
      else
        view.row(job.bytes + row_offset(job.desc, static_cast<uint32_t>(job.rows[y].first)), job.out(y));
    }
  });
}

void view_identifiers(const Job& job, const std::vector<AxisTap>& columns) {
  const uint32_t channel = job.params.swap_rb && shown_channels(job.desc) >= 3 ? 2 : 0;
  job.for_bands([&](uint32_t begin, uint32_t end) {
    for (uint32_t y = begin; y < end; ++y) {
      const AxisTap& tap = job.rows[y];
      if (job.repeat(begin, y)) continue;
      if (tap.count == 0) {
        job.clear(y);
        continue;
      }
      const auto row = static_cast<uint32_t>(tap.first + tap.count / 2);
      const bool labels = job.params.false_color == FalseColor::Labels;
      view_ids(job.desc, channel, labels, job.bytes + row_offset(job.desc, row), columns, job.out(y));
    }
  });
}

void clear_outside(const Columns& columns, uint8_t* rgba) {
  for (const AxisTap& tap : columns.taps) {
    if (tap.count == 0) std::memset(rgba, 0, 4);
    rgba += 4;
  }
}

// Alpha that is not looked at costs more than a quarter of the time.
FrameDesc without_unseen_alpha(const FrameDesc& desc, const ViewParams& params) {
  FrameDesc seen = desc;
  const bool alone = (params.channel_mask & 0xFu) == 8u;
  if (has_alpha(desc) && !is_packed(desc.dtype) && !alone) --seen.channels;
  return seen;
}

void view_values(const Job& job, Columns columns, const FrameStats& stats) {
  const FrameDesc seen = without_unseen_alpha(job.desc, job.params);
  const RowDecoder decoder(seen, decode_as(job.params.false_color));
  const RowFinisher prototype(seen, job.params, stats);
  const bool negatives = (prototype.wanted_flags() & kFlagNegative) && stats.negative != 0;
  const bool flagged = may_hold_special(stats) || negatives;
  const bool all_inside = std::all_of(columns.taps.begin(), columns.taps.end(), [](auto& tap) { return tap.count; });
  job.for_bands([&](uint32_t begin, uint32_t end) {
    RowFilter filter(decoder, columns, flagged);
    RowFinisher finisher = prototype;
    for (uint32_t y = begin; y < end; ++y) {
      if (job.repeat(begin, y)) continue;
      if (job.rows[y].count == 0 || columns.count == 0) {
        job.clear(y);
        continue;
      }
      filter.row(job.bytes, job.rows[y]);
      finisher.row(filter.pixels(), flagged ? filter.flags() : std::span<const uint8_t>{}, job.out(y));
      if (!all_inside) clear_outside(columns, job.out(y));
    }
  });
}

}  // namespace

void cpu_view(ThreadPool& pool, const std::byte* bytes, const FrameDesc& desc, const ViewParams& params,
              const FrameStats& stats, Picture& picture) {
  picture.width = params.width;
  picture.height = params.height;
  picture.rgba.resize(size_t{params.width} * params.height * 4);
  const bool empty = frame_bytes(desc) == 0;
  std::vector<AxisTap> columns = axis_taps(params.width, params.x, params.rect_w, empty ? 0 : desc.width, false);
  const Job job{pool,
                bytes,
                desc,
                params,
                axis_taps(params.height, params.y, params.rect_h, empty ? 0 : desc.height, params.flip_y),
                picture};
  if (shows_ids(params)) return view_identifiers(job, columns);
  if (const auto view = ByteView::create(desc, params, columns, job.rows)) return view_bytes(job, *view);
  view_values(job, columns_of(std::move(columns)), stats);
}

}  // namespace seamscope
