/* What a VkFormat says about a frame. */
#include "vulkan_ring.h"

typedef struct {
  uint16_t format;
  uint8_t dtype, channels, is_bgr, aspect;
} ssc_vk_format;

enum { SSC_ASPECT_COLOR = 1, SSC_ASPECT_DEPTH = 2, SSC_ASPECT_STENCIL = 4 };

/* Linear bytes (UNORM) are shown as they are: renderers store display values in them. */
static const ssc_vk_format ssc_vk_formats[] = {
    {9, SEAMSCOPE_U8, 1, 0, SSC_ASPECT_COLOR},           /* R8_UNORM */
    {10, SEAMSCOPE_I8, 1, 0, SSC_ASPECT_COLOR},          /* R8_SNORM */
    {13, SEAMSCOPE_U8, 1, 0, SSC_ASPECT_COLOR},          /* R8_UINT */
    {14, SEAMSCOPE_I8, 1, 0, SSC_ASPECT_COLOR},          /* R8_SINT */
    {16, SEAMSCOPE_U8, 2, 0, SSC_ASPECT_COLOR},          /* R8G8_UNORM */
    {20, SEAMSCOPE_U8, 2, 0, SSC_ASPECT_COLOR},          /* R8G8_UINT */
    {23, SEAMSCOPE_U8, 3, 0, SSC_ASPECT_COLOR},          /* R8G8B8_UNORM */
    {29, SEAMSCOPE_U8, 3, 0, SSC_ASPECT_COLOR},          /* R8G8B8_SRGB */
    {30, SEAMSCOPE_U8, 3, 1, SSC_ASPECT_COLOR},          /* B8G8R8_UNORM */
    {36, SEAMSCOPE_U8, 3, 1, SSC_ASPECT_COLOR},          /* B8G8R8_SRGB */
    {37, SEAMSCOPE_U8, 4, 0, SSC_ASPECT_COLOR},          /* R8G8B8A8_UNORM */
    {38, SEAMSCOPE_I8, 4, 0, SSC_ASPECT_COLOR},          /* R8G8B8A8_SNORM */
    {41, SEAMSCOPE_U8, 4, 0, SSC_ASPECT_COLOR},          /* R8G8B8A8_UINT */
    {42, SEAMSCOPE_I8, 4, 0, SSC_ASPECT_COLOR},          /* R8G8B8A8_SINT */
    {43, SEAMSCOPE_U8, 4, 0, SSC_ASPECT_COLOR},          /* R8G8B8A8_SRGB */
    {44, SEAMSCOPE_U8, 4, 1, SSC_ASPECT_COLOR},          /* B8G8R8A8_UNORM */
    {50, SEAMSCOPE_U8, 4, 1, SSC_ASPECT_COLOR},          /* B8G8R8A8_SRGB */
    {51, SEAMSCOPE_U8, 4, 0, SSC_ASPECT_COLOR},          /* A8B8G8R8_UNORM_PACK32 */
    {57, SEAMSCOPE_U8, 4, 0, SSC_ASPECT_COLOR},          /* A8B8G8R8_SRGB_PACK32 */
    {64, SEAMSCOPE_RGB10A2, 4, 0, SSC_ASPECT_COLOR},     /* A2B10G10R10_UNORM_PACK32 */
    {70, SEAMSCOPE_U16, 1, 0, SSC_ASPECT_COLOR},         /* R16_UNORM */
    {74, SEAMSCOPE_U16, 1, 0, SSC_ASPECT_COLOR},         /* R16_UINT */
    {75, SEAMSCOPE_I16, 1, 0, SSC_ASPECT_COLOR},         /* R16_SINT */
    {76, SEAMSCOPE_F16, 1, 0, SSC_ASPECT_COLOR},         /* R16_SFLOAT */
    {77, SEAMSCOPE_U16, 2, 0, SSC_ASPECT_COLOR},         /* R16G16_UNORM */
    {81, SEAMSCOPE_U16, 2, 0, SSC_ASPECT_COLOR},         /* R16G16_UINT */
    {83, SEAMSCOPE_F16, 2, 0, SSC_ASPECT_COLOR},         /* R16G16_SFLOAT */
    {90, SEAMSCOPE_F16, 3, 0, SSC_ASPECT_COLOR},         /* R16G16B16_SFLOAT */
    {91, SEAMSCOPE_U16, 4, 0, SSC_ASPECT_COLOR},         /* R16G16B16A16_UNORM */
    {95, SEAMSCOPE_U16, 4, 0, SSC_ASPECT_COLOR},         /* R16G16B16A16_UINT */
    {97, SEAMSCOPE_F16, 4, 0, SSC_ASPECT_COLOR},         /* R16G16B16A16_SFLOAT */
    {98, SEAMSCOPE_U32, 1, 0, SSC_ASPECT_COLOR},         /* R32_UINT */
    {99, SEAMSCOPE_I32, 1, 0, SSC_ASPECT_COLOR},         /* R32_SINT */
    {100, SEAMSCOPE_F32, 1, 0, SSC_ASPECT_COLOR},        /* R32_SFLOAT */
    {101, SEAMSCOPE_U32, 2, 0, SSC_ASPECT_COLOR},        /* R32G32_UINT */
    {102, SEAMSCOPE_I32, 2, 0, SSC_ASPECT_COLOR},        /* R32G32_SINT */
    {103, SEAMSCOPE_F32, 2, 0, SSC_ASPECT_COLOR},        /* R32G32_SFLOAT */
    {106, SEAMSCOPE_F32, 3, 0, SSC_ASPECT_COLOR},        /* R32G32B32_SFLOAT */
    {107, SEAMSCOPE_U32, 4, 0, SSC_ASPECT_COLOR},        /* R32G32B32A32_UINT */
    {108, SEAMSCOPE_I32, 4, 0, SSC_ASPECT_COLOR},        /* R32G32B32A32_SINT */
    {109, SEAMSCOPE_F32, 4, 0, SSC_ASPECT_COLOR},        /* R32G32B32A32_SFLOAT */
    {122, SEAMSCOPE_R11G11B10F, 3, 0, SSC_ASPECT_COLOR}, /* B10G11R11_UFLOAT_PACK32 */
    {124, SEAMSCOPE_U16, 1, 0, SSC_ASPECT_DEPTH},        /* D16_UNORM */
    {125, SEAMSCOPE_D24S8, 1, 0, SSC_ASPECT_DEPTH},      /* X8_D24_UNORM_PACK32 */
    {126, SEAMSCOPE_F32, 1, 0, SSC_ASPECT_DEPTH},        /* D32_SFLOAT */
    {127, SEAMSCOPE_U8, 1, 0, SSC_ASPECT_STENCIL},       /* S8_UINT */
    {128, SEAMSCOPE_U16, 1, 0, SSC_ASPECT_DEPTH},        /* D16_UNORM_S8_UINT */
    {129, SEAMSCOPE_D24S8, 1, 0, SSC_ASPECT_DEPTH},      /* D24_UNORM_S8_UINT */
    {130, SEAMSCOPE_F32, 1, 0, SSC_ASPECT_DEPTH},        /* D32_SFLOAT_S8_UINT */
};

/* Fills in what the format says. The aspect to copy, or 0 for a format that cannot be shown. */
static uint32_t ssc_vk_apply_format(const seamscope_vulkan_source* source, seamscope_frame_desc* desc) {
  uint32_t aspect = source->aspect;
  if (!source->format) {
    if (!aspect) aspect = desc->dtype == SEAMSCOPE_D24S8 ? SSC_ASPECT_DEPTH : SSC_ASPECT_COLOR;
    return aspect;
  }
  for (size_t i = 0; i < sizeof ssc_vk_formats / sizeof *ssc_vk_formats; ++i) {
    const ssc_vk_format* row = &ssc_vk_formats[i];
    if (row->format != source->format) continue;
    const int is_stencil = aspect == SSC_ASPECT_STENCIL;
    desc->dtype = is_stencil ? (uint32_t)SEAMSCOPE_U8 : row->dtype;
    desc->channels = row->channels;
    if (row->is_bgr) desc->flags |= SEAMSCOPE_FLAG_BGR;
    if (!desc->kind && row->aspect == SSC_ASPECT_DEPTH) desc->kind = is_stencil ? SEAMSCOPE_ID : SEAMSCOPE_DEPTH;
    if (!desc->kind && row->aspect == SSC_ASPECT_STENCIL) desc->kind = SEAMSCOPE_ID;
    return aspect ? aspect : row->aspect;
  }
  return 0;
}
