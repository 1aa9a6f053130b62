// A renderer's work for the benchmark of what watching costs: `steps` rounds of arithmetic a texel and the neighbours of
// the texel before, so that the GPU's arithmetic and its memory are both busy. ../shaders/render_load.comp is its twin.

extern "C" __global__ void render_load(unsigned* image, const unsigned* before, unsigned width, unsigned height,
                                       unsigned steps, unsigned frame) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const unsigned left = before[y * width + (x + width - 1) % width];
  const unsigned above = before[(y + height - 1) % height * width + x];
  float a = (float)(left & 255u) / 255.0f, b = (float)(above >> 8 & 255u) / 255.0f;
  const float c = (float)(x + y + frame & 255u) / 4096.0f;
  for (unsigned i = 0; i < steps; ++i) {
    a = a * 0.75f + b * 0.25f + c;
    b = b * 0.875f + a * 0.0625f - c;
  }
  const unsigned red = (unsigned)(fminf(fabsf(a), 1.0f) * 255.0f), green = (unsigned)(fminf(fabsf(b), 1.0f) * 255.0f);
  image[y * width + x] = 0xFF000000u | (frame & 255u) << 16 | green << 8 | red;
}
