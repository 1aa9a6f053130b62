/* Frames in host memory: a colour image and a depth image of floats.
 *
 *   cc -O2 host.c -o host && ./host          (glibc before 2.34: add -pthread -ldl) */
#define SEAMSCOPE_IMPLEMENTATION
#include "../seamscope.h"
#include "pattern.h"

int main(int count, char** arguments) {
  const example_options options = example_parse(count, arguments);
  const size_t texels = (size_t)options.width * options.height;
  uint8_t* color = (uint8_t*)malloc(texels * 4);
  float* depth = (float*)malloc(texels * sizeof(float));
  if (!color || !depth) return 1;
  for (uint32_t frame = 0; example_next(&options, frame); ++frame) {
    example_draw(color, &options, frame);
    seamscope_frame_desc image = {0};
    image.width = options.width;
    image.height = options.height;
    seamscope_publish_host("color", color, &image);

    /* Only when somebody looks at it. */
    if (seamscope_wanted("depth")) {
      for (size_t i = 0; i < texels; ++i) depth[i] = (float)i / (float)texels;
      image.channels = 1;
      image.dtype = SEAMSCOPE_F32;
      image.kind = SEAMSCOPE_DEPTH;
      seamscope_publish_host("depth", depth, &image);
    }
  }
  seamscope_close();
  free(depth);
  free(color);
  return 0;
}
