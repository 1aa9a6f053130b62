/* What the examples draw, and their command line: PROGRAM [--size WxH] [--seconds N] [--rate FRAMES-A-SECOND]. */
#ifndef SEAMSCOPE_EXAMPLE_PATTERN_H
#define SEAMSCOPE_EXAMPLE_PATTERN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  uint32_t width, height, seconds, rate;
} example_options;

static inline example_options example_parse(int count, char** arguments) {
  example_options options = {640, 360, 3600, 60};
  for (int i = 1; i + 1 < count; i += 2) {
    if (strcmp(arguments[i], "--size") == 0) sscanf(arguments[i + 1], "%ux%u", &options.width, &options.height);
    if (strcmp(arguments[i], "--seconds") == 0) options.seconds = (uint32_t)atoi(arguments[i + 1]);
    if (strcmp(arguments[i], "--rate") == 0) options.rate = (uint32_t)atoi(arguments[i + 1]);
  }
  return options;
}

static inline double example_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Waits for the next frame's time; 0 when the program's time is over. */
static inline int example_next(const example_options* options, uint32_t frame) {
  static double begin;
  if (frame == 0) begin = example_seconds();
  const double wait = begin + (double)frame / options->rate - example_seconds();
  if (wait > 0) {
    const struct timespec pause = {(time_t)wait, (long)((wait - (double)(time_t)wait) * 1e9)};
    nanosleep(&pause, NULL);
  }
  return example_seconds() - begin < options->seconds;
}

/* One texel: red and green count columns and rows, blue counts frames. */
static inline void example_texel(uint8_t* texel, uint32_t x, uint32_t y, uint32_t frame) {
  texel[0] = (uint8_t)x;
  texel[1] = (uint8_t)y;
  texel[2] = (uint8_t)frame;
  texel[3] = 255;
}

static inline void example_draw(uint8_t* pixels, const example_options* options, uint32_t frame) {
  for (uint32_t y = 0; y < options->height; ++y)
    for (uint32_t x = 0; x < options->width; ++x)
      example_texel(pixels + 4 * ((size_t)y * options->width + x), x, y, frame);
}

#endif
