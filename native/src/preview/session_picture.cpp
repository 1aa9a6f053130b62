// One picture of a view, with what travels with it.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/clock.hpp"
#include "preview/compare.hpp"
#include "preview/derived_frame.hpp"
#include "preview/flip.hpp"
#include "preview/histogram.hpp"
#include "preview/history.hpp"
#include "preview/host_output.hpp"
#include "preview/session.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

// Numbers; a difference needs four bytes for each.
constexpr uint64_t kMostDifference = uint64_t{1} << 28;
constexpr double kHistogramMs = 100, kMetricsMs = 250;
// Frames that follow each other faster are not all kept: nobody scrubs through them.
constexpr double kKeepMs = 1000.0 / 65;

bool same_format(const FrameDesc& a, const FrameDesc& b) {
  return a.width == b.width && a.height == b.height && a.channels == b.channels && a.dtype == b.dtype &&
         a.kind == b.kind && a.color_space == b.color_space && a.batches == b.batches;
}

uint64_t generation_of(ViewFindings& findings, const FrameDesc& desc, const std::string& output) {
  if (findings.output != output) findings.generation = 0;
  if (findings.generation == 0 || !same_format(findings.desc, desc)) ++findings.generation;
  findings.output = output;
  findings.desc = desc;
  return findings.generation;
}

}  // namespace

CpuPasses& Session::host_passes() {
  if (!on_device_) return static_cast<CpuPasses&>(*passes_);
  if (!host_passes_) host_passes_ = std::make_unique<CpuPasses>();
  return *host_passes_;
}

PreviewPasses& Session::passes_for(const Frame& frame, uint32_t output) {
  return !on_device_ || frame.buffer(output) ? *passes_ : host_passes();
}

Result<const FrameStats*> Session::stats_of(const Subject& subject, uint32_t output) {
  auto& all = subject.shown->stats;
  const std::pair key{output, subject.batch};
  if (const auto found = all.find(key); found != all.end()) return &found->second;
  const Frame& frame = *subject.shown->frame;
  const auto stats = passes_for(frame, output).ingest({frame, output, subject.desc, subject.offset});
  if (!stats) return stats.error();
  return &(all[key] = *stats);
}

Result<void> Session::make_picture(const Task& task, StageTimes times) {
  FrameInfo info;
  auto subject = subject_of(*task.view, task.params, task.output, info.problem);
  if (!subject) {
    // The output was changed meanwhile, and no frame with it has come yet.
    std::lock_guard lock(mutex_);
    task.view->schedule.picked_up();
    task.view->schedule.credit(1);
    return {};
  }
  if (info.problem.empty()) info.problem = source_->problem();
  const double start = now_ms();
  const bool known = subject->shown->stats.count({task.output, subject->batch}) != 0;
  if (const auto stats = stats_of(*subject, task.output); !stats) return stats.error();
  const double ingested = now_ms();
  if (!known) times.ingest = ingested - start;

  Picture picture = encoder_->spare_picture();
  Subject drawn = *subject;
  if (auto done = draw(task, drawn, info, picture); !done) return done;
  times.view = now_ms() - ingested;
  const auto stats = stats_of(drawn, task.output);
  if (!stats) return stats.error();
  info.stats = **stats;
  const double viewed = now_ms();
  if (auto done = measure(task, *subject, drawn, info); !done) return done;
  times.ingest += now_ms() - viewed;

  info.lossless = task.action == ViewAction::Lossless;
  const EncodeOptions options =
      info.lossless ? lossless_options(task.params) : moving_options(task.params, drawn.desc.kind);
  const Frame& frame = *subject->shown->frame;
  info.view_id = task.view->id;
  info.sequence = ++task.view->sequence;
  info.frame = frame.number();
  info.output = outputs()[task.output].name;
  info.width = picture.width;
  info.height = picture.height;
  info.encoding = options.encoding;
  info.frame_width = subject->desc.width;
  info.frame_height = subject->desc.height;
  info.desc = subject->desc;
  info.generation = generation_of(task.view->findings, subject->desc, info.output);
  info.produced_at = subject->shown->produced_at;
  info.times = times;
  info.times.handoff = frame.handoff_ms();
  info.dropped = task.dropped;
  info.skipped = frame.skipped();
  info.history = History::shared().state(this, task.output);
  if (task.view->recorder) info.recording = task.view->recorder->state();
  info.x = task.params.x;
  info.y = task.params.y;
  info.rect_w = task.params.rect_w;
  info.rect_h = task.params.rect_h;
  encoder_->push({task.view, std::move(picture), std::move(info), options});
  return {};
}

Result<Session::Subject> Session::difference(const Task& task, const Subject& subject, const ShownFrame& reference) {
  ViewFindings& findings = task.view->findings;
  const bool known = findings.difference && findings.difference_of == subject.shown->frame &&
                     findings.difference_to == reference.frame && findings.difference_batch == subject.batch &&
                     findings.difference_signed == task.params.difference_signed &&
                     findings.difference->frame->has(task.output);
  if (!known) {
    const auto& kept = static_cast<const KeptFrame&>(*reference.frame);
    const FrameDesc& desc = *kept.desc(kept.output());
    if (const std::string why = why_not_comparable(subject.desc, desc); !why.empty()) return Error{why, {}, {}};
    if (uint64_t{desc.width} * desc.height * stat_channels(desc) > kMostDifference)
      return Error{"The frames are too large for a picture of their difference.", {}, {}};
    const auto bytes = host_output({*subject.shown->frame, task.output, subject.desc, subject.offset});
    const auto other = host_output({kept, kept.output(), desc, batch_offset(desc, subject.batch)});
    if (!bytes) return bytes.error();
    if (!other) return other.error();
    auto made = difference_of(host_passes().pool(), {bytes->data(), &subject.desc}, {other->data(), &desc},
                              task.params.difference_signed);
    const auto frame =
        std::make_shared<DerivedFrame>(subject.shown->frame->number(), task.output, made.desc, std::move(made.bytes));
    findings.difference = std::make_shared<ShownFrame>(ShownFrame{frame, subject.shown->produced_at, 0, {}});
    findings.difference_of = subject.shown->frame;
    findings.difference_to = reference.frame;
    findings.difference_batch = subject.batch;
    findings.difference_signed = task.params.difference_signed;
  }
  return Subject{findings.difference, *findings.difference->frame->desc(task.output)};
}

// Histogram and metrics: now and then while frames come, always for a picture at rest.
Result<void> Session::measure(const Task& task, const Subject& subject, const Subject& drawn, FrameInfo& info) {
  ViewFindings& findings = task.view->findings;
  const bool rest = task.action == ViewAction::Lossless;
  const double now = now_ms();
  if (!task.params.want_histogram) {
    findings.histogram.reset();
  } else if (rest || !findings.histogram || now >= findings.histogram_due) {
    const Frame& frame = *drawn.shown->frame;
    const OutputRef output{frame, task.output, drawn.desc, drawn.offset};
    auto made = passes_for(frame, task.output).histogram(output, histogram_span(drawn.desc, task.params, info.stats));
    if (!made) return made.error();
    made->frame = subject.shown->frame->number();
    findings.histogram = std::make_shared<const Histogram>(*made);
    findings.histogram_due = now + kHistogramMs;
  }
  info.histogram = findings.histogram;
  const auto other = task.params.want_metrics ? reference(task.params.reference) : nullptr;
  if (!other || (findings.metrics && findings.metrics->reference != task.params.reference)) findings.metrics.reset();
  if (other && (rest || !findings.metrics || now >= findings.metrics_due)) {
    findings.metrics.reset();
    const auto& kept = static_cast<const KeptFrame&>(*other->frame);
    const FrameDesc& desc = *kept.desc(kept.output());
    const std::string why = why_not_comparable(subject.desc, desc);
    const auto bytes = host_output({*subject.shown->frame, task.output, subject.desc, subject.offset});
    const auto reference = host_output({kept, kept.output(), desc, batch_offset(desc, subject.batch)});
    if (!bytes) return bytes.error();
    if (!why.empty() && info.problem.empty()) info.problem = why;
    if (why.empty() && reference) {
      findings.metrics = metrics_of(host_passes().pool(), {bytes->data(), &subject.desc}, {reference->data(), &desc});
      findings.metrics->reference = task.params.reference;
      findings.metrics->frame = subject.shown->frame->number();
      if (rest && now >= findings.flip_due)
        measure_flip(findings, {bytes->data(), &subject.desc}, {reference->data(), &desc});
    }
    // A slow machine spends no more than a fifth of its time on this.
    findings.metrics_due = now + std::max(kMetricsMs, 5 * (now_ms() - now));
  }
  info.metrics = findings.metrics;
  return {};
}

// Too slow for moving pictures; of a source with few frames a second it takes no more than a fifth of the time.
void Session::measure_flip(ViewFindings& findings, const ImageView& shown, const ImageView& reference) {
  const double begin = now_ms();
  findings.metrics->flip = flip_of(host_passes().pool(), shown, reference);
  const double end = now_ms();
  findings.flip_due = end + 5 * (end - begin);
}

// New frames go into history and to the recordings.
void Session::keep(const std::vector<Task>& tasks) {
  const double now = now_ms();
  for (const Task& task : tasks) {
    if (task.action != ViewAction::Frame) continue;
    const ShownFrame& shown = *task.view->shown;
    const FrameDesc* own = shown.frame->desc(task.output);
    const FrameDesc desc = own ? *own : outputs()[task.output].desc;
    double& kept_at = kept_at_[task.output];
    if (now - kept_at >= kKeepMs) {
      kept_at = now;
      History::shared().keep(this, shown.frame, task.output, desc, shown.produced_at);
    }
    if (!task.view->recorder) continue;
    if (const auto bytes = host_output({*shown.frame, task.output, desc, batch_offset(desc, task.params.batch)}))
      task.view->recorder->add({shown.frame, *bytes, desc, outputs()[task.output].name});
  }
}

}  // namespace seamscope
