/* Descriptions: defaults, and how the bytes of a frame are copied into a slot. */
#include "state.h"

static uint32_t ssc_element(uint32_t dtype) {
  static const uint8_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 2, 2, 4, 8, 4, 4, 4};
  return dtype < sizeof sizes ? sizes[dtype] : 0;
}

static int ssc_is_packed(uint32_t dtype) {
  return dtype >= SEAMSCOPE_R11G11B10F;
}
static int ssc_is_float(uint32_t dtype) {
  return (dtype >= SEAMSCOPE_F16 && dtype <= SEAMSCOPE_F64) || dtype == SEAMSCOPE_R11G11B10F;
}

static uint32_t ssc_or(uint32_t given, uint32_t usual) {
  if (given & 0x100u) return given & 0xFFu;
  return given ? given : usual;
}

static uint32_t ssc_usual_kind(const seamscope_frame_desc* desc) {
  if (desc->dtype == SEAMSCOPE_D24S8) return SEAMSCOPE_DEPTH;
  if (desc->batch > 1 || desc->channels > 4) return SEAMSCOPE_TENSOR;
  if (ssc_is_float(desc->dtype)) return desc->channels >= 3 ? SEAMSCOPE_HDR : SEAMSCOPE_TENSOR;
  if (desc->dtype == SEAMSCOPE_U8 || desc->dtype == SEAMSCOPE_U16 || ssc_is_packed(desc->dtype)) return SEAMSCOPE_COLOR;
  return desc->channels == 1 && ssc_element(desc->dtype) >= 4 ? SEAMSCOPE_ID : SEAMSCOPE_TENSOR;
}

static uint32_t ssc_usual_space(const seamscope_frame_desc* desc) {
  if (desc->kind != SEAMSCOPE_COLOR && desc->kind != SEAMSCOPE_HDR) return SEAMSCOPE_DATA;
  return ssc_is_float(desc->dtype) ? SEAMSCOPE_LINEAR : SEAMSCOPE_SRGB;
}

static void ssc_fill_strides(seamscope_frame_desc* desc) {
  const uint64_t element = ssc_element(desc->dtype);
  const uint64_t texel = ssc_is_packed(desc->dtype) ? element : element * desc->channels;
  if (desc->flags & SEAMSCOPE_FLAG_PLANAR && !ssc_is_packed(desc->dtype)) {
    if (!desc->pixel_stride) desc->pixel_stride = element;
    if (!desc->row_stride) desc->row_stride = desc->pixel_stride * desc->width;
    if (!desc->channel_stride) desc->channel_stride = desc->row_stride * desc->height;
    if (!desc->batch_stride) desc->batch_stride = desc->channel_stride * desc->channels;
  } else {
    if (!desc->channel_stride) desc->channel_stride = element;
    if (!desc->pixel_stride) desc->pixel_stride = texel;
    if (!desc->row_stride) desc->row_stride = desc->pixel_stride * desc->width;
    if (!desc->batch_stride) desc->batch_stride = desc->row_stride * desc->height;
  }
}

/* Zeros become what they stand for. */
static void ssc_complete(seamscope_frame_desc* desc) {
  static const uint8_t packed_channels[] = {3, 4, 1};
  desc->dtype = ssc_or(desc->dtype, SEAMSCOPE_U8);
  if (!desc->channels) {
    const uint32_t packed = desc->dtype - SEAMSCOPE_R11G11B10F;
    desc->channels = desc->dtype <= SEAMSCOPE_D24S8 && ssc_is_packed(desc->dtype) ? packed_channels[packed] : 4;
  }
  if (!desc->batch) desc->batch = 1;
  desc->kind = ssc_or(desc->kind, ssc_usual_kind(desc));
  desc->color_space = ssc_or(desc->color_space, ssc_usual_space(desc));
  ssc_fill_strides(desc);
}

/* Rows to copy: `rows` of `row_bytes` for each plane and image. */
typedef struct {
  uint64_t bytes; /* of the slot that are used */
  uint64_t row_bytes, rows, from_pitch, to_pitch;
  uint64_t planes, from_plane, to_plane;
  uint64_t images, from_image, to_image;
  seamscope_frame_desc packed; /* of the copy */
} ssc_plan;

static int ssc_add_reach(uint64_t* end, uint64_t count, uint64_t stride) {
  uint64_t distance;
  return !__builtin_mul_overflow(count - 1, stride, &distance) && !__builtin_add_overflow(*end, distance, end) &&
         *end <= SSC_MAX_SLOT_BYTES;
}

/* Bytes from the first texel to behind the last one; 0: more than a slot can hold. */
static uint64_t ssc_span(const seamscope_frame_desc* desc) {
  uint64_t end = ssc_element(desc->dtype);
  const uint32_t channels = ssc_is_packed(desc->dtype) ? 1 : desc->channels;
  const int fits =
      ssc_add_reach(&end, desc->width, desc->pixel_stride) && ssc_add_reach(&end, desc->height, desc->row_stride) &&
      ssc_add_reach(&end, channels, desc->channel_stride) && ssc_add_reach(&end, desc->batch, desc->batch_stride);
  return fits ? end : 0;
}

static int ssc_is_valid(const seamscope_frame_desc* desc) {
  return desc->dtype <= SEAMSCOPE_D24S8 && desc->kind <= SEAMSCOPE_TENSOR && desc->color_space <= SEAMSCOPE_DATA &&
         desc->width > 0 && desc->height > 0 && desc->width <= SSC_MAX_SIDE && desc->height <= SSC_MAX_SIDE;
}

/* Why a frame with this completed description cannot be shown. A literal. */
static const char* ssc_refusal(const seamscope_frame_desc* desc) {
  if (!desc->width || !desc->height) return "The frame has no texels: its width or height is 0.";
  if (desc->dtype > SEAMSCOPE_D24S8 || desc->kind > SEAMSCOPE_TENSOR || desc->color_space > SEAMSCOPE_DATA)
    return "The frame has an element type, kind or colour space that does not exist.";
  if (desc->width > SSC_MAX_SIDE || desc->height > SSC_MAX_SIDE || !ssc_span(desc))
    return "The frame is larger than can be shown: 65536 texels a side and 2 GiB at most.";
  return "The frame has no memory: its pointer is null.";
}

/* One row of everything: for orders of bytes that rows of texels do not describe, as in a transposed view. */
static void ssc_plan_whole(ssc_plan* plan, const seamscope_frame_desc* desc, uint64_t span) {
  plan->packed.row_stride = desc->row_stride;
  plan->packed.channel_stride = desc->channel_stride;
  plan->packed.batch_stride = desc->batch_stride;
  plan->bytes = plan->row_bytes = plan->from_pitch = plan->to_pitch = span;
  plan->rows = plan->planes = plan->images = 1;
}

/* Rows lose their padding on the way. */
static void ssc_plan_rows(ssc_plan* plan, const seamscope_frame_desc* desc, uint64_t row_bytes, uint64_t planes) {
  plan->row_bytes = plan->to_pitch = row_bytes;
  plan->rows = desc->height;
  plan->from_pitch = desc->row_stride;
  plan->planes = planes;
  plan->from_plane = desc->channel_stride;
  plan->to_plane = row_bytes * plan->rows;
  plan->images = desc->batch;
  plan->from_image = desc->batch_stride;
  plan->to_image = plan->to_plane * planes;
  if (__builtin_mul_overflow(plan->to_image, plan->images, &plan->bytes)) plan->bytes = UINT64_MAX;
  plan->packed.row_stride = row_bytes;
  if (planes > 1) plan->packed.channel_stride = plan->to_plane;
  plan->packed.batch_stride = plan->to_image;
}

/* How a completed description is copied. 0 when it cannot be shown. */
static int ssc_plan_frame(const seamscope_frame_desc* desc, ssc_plan* plan) {
  const uint64_t element = ssc_element(desc->dtype), span = ssc_is_valid(desc) ? ssc_span(desc) : 0;
  const uint64_t channels = ssc_is_packed(desc->dtype) ? 1 : desc->channels;
  if (!span) return 0;
  memset(plan, 0, sizeof *plan);
  plan->packed = *desc;
  plan->packed.flags &= SEAMSCOPE_FLAG_BOTTOM_UP | SEAMSCOPE_FLAG_BGR;
  plan->packed.offset = 0;
  const uint64_t texel = (channels - 1) * desc->channel_stride + element;
  const uint64_t walk = (desc->width - 1) * desc->pixel_stride;
  const int one_row = desc->height == 1;
  if (texel <= desc->pixel_stride && (one_row || walk + texel <= desc->row_stride))
    ssc_plan_rows(plan, desc, walk + texel, 1);
  else if (element <= desc->pixel_stride && (one_row || walk + element <= desc->row_stride))
    ssc_plan_rows(plan, desc, walk + element, channels);
  else
    ssc_plan_whole(plan, desc, span);
  if (plan->bytes > SSC_MAX_SLOT_BYTES) ssc_plan_whole(plan, desc, span);
  return 1;
}

static void ssc_copy_rows(const ssc_plan* plan, uint8_t* to, const uint8_t* from) {
  for (uint64_t image = 0; image < plan->images; ++image)
    for (uint64_t plane = 0; plane < plan->planes; ++plane) {
      const uint8_t* source = from + image * plan->from_image + plane * plan->from_plane;
      uint8_t* target = to + image * plan->to_image + plane * plan->to_plane;
      if (plan->from_pitch == plan->row_bytes || plan->rows == 1) {
        memcpy(target, source, plan->row_bytes * plan->rows);
      } else {
        for (uint64_t row = 0; row < plan->rows; ++row)
          memcpy(target + row * plan->to_pitch, source + row * plan->from_pitch, plan->row_bytes);
      }
    }
}
