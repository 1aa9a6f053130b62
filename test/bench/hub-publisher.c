/* Publishes frames from host memory until its standard input ends: hub-publisher WIDTH HEIGHT [FRAMES_A_SECOND].
 * Prints how many frames it was asked for and handed over, and what a publish cost. */
#define SEAMSCOPE_IMPLEMENTATION
#include "seamscope.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int input_ended(int wait_ms) {
  struct pollfd input = {0, POLLIN, 0};
  return poll(&input, 1, wait_ms) != 0;
}

int main(int argc, char** argv) {
  const unsigned width = argc > 2 ? (unsigned)atoi(argv[1]) : 1920, height = argc > 2 ? (unsigned)atoi(argv[2]) : 1080;
  const double interval = argc > 3 ? 1000.0 / atof(argv[3]) : 0;
  const size_t row = (size_t)width * 4;
  unsigned char* pixels = malloc(row * (height + 256));
  const seamscope_options options = {"hub-bench", NULL};
  seamscope_frame_desc desc = {0};
  unsigned long frames = 0, handed_over = 0;
  double cost = 0, due = now_ms();
  if (!pixels) return 1;
  for (size_t y = 0; y < height + 256; ++y)
    for (size_t x = 0; x < row; ++x) pixels[y * row + x] = (unsigned char)(x % 4 == 3 ? 255 : (x / 8 + y) & 255);
  desc.width = width;
  desc.height = height;
  seamscope_open(&options);
  for (; !input_ended(0); ++frames) {
    const double start = now_ms();
    /* A window that moves over a larger picture: every frame differs, and none costs anything to make. */
    handed_over += seamscope_publish_host("color", pixels + (frames % 256) * row, &desc) == SEAMSCOPE_PUBLISHED;
    cost += now_ms() - start;
    due += interval;
    if (due < start) due = start;
    if (interval > 0) {
      const double left = due - now_ms();
      if (left >= 1 && input_ended((int)left)) break;
    }
  }
  printf("{\"frames\":%lu,\"published\":%lu,\"meanMs\":%.4f}\n", frames, handed_over, frames ? cost / (double)frames : 0);
  seamscope_close();
  free(pixels);
  return 0;
}
