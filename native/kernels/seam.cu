// The CUDA half of the seam test's frame check: writes the pattern of a frame, and counts the words that carry it, through
// a linear buffer and through a surface. seam.ptx is this file compiled; see README.md for the command. The pattern is
// also written down in ../shaders/seam_pattern.glsl and ../src/seamtest/pattern.hpp.

// Differs in every word between any two frames.
__device__ unsigned pattern(unsigned index, unsigned frame) {
  return (index ^ (frame * 0x9E3779B9u)) * 0x85EBCA6Bu;
}

// Adds up over the block, so that each block touches *total once.
__device__ void add_up(unsigned matches, unsigned* total) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, matches);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

extern "C" __global__ void seam_write_linear(unsigned* words, unsigned count, unsigned frame) {
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) words[i] = pattern(i, frame);
}

extern "C" __global__ void seam_check_linear(const unsigned* words, unsigned count, unsigned frame, unsigned* total) {
  const unsigned step = gridDim.x * blockDim.x;
  unsigned matches = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
    matches += words[i] == pattern(i, frame);
  add_up(matches, total);
}

extern "C" __global__ void seam_write_surface(unsigned long long surface, unsigned width, unsigned count,
                                              unsigned frame) {
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
    asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(i % width * 4), "r"(i / width),
                 "r"(pattern(i, frame)));
}

extern "C" __global__ void seam_check_surface(unsigned long long surface, unsigned width, unsigned count,
                                              unsigned frame, unsigned* total) {
  const unsigned step = gridDim.x * blockDim.x;
  unsigned matches = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    unsigned word;
    asm volatile("suld.b.2d.b32.trap {%0}, [%1, {%2, %3}];"
                 : "=r"(word)
                 : "l"(surface), "r"(i % width * 4), "r"(i / width));
    matches += word == pattern(i, frame);
  }
  add_up(matches, total);
}
