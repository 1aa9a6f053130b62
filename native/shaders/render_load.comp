#version 450
// A renderer's work for the benchmark of what watching costs: `steps` rounds of arithmetic a texel and the neighbours of
// the texel before, so that the GPU's arithmetic and its memory are both busy. ../kernels/render_load.cu is its twin.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) writeonly buffer Image { uint image[]; };
layout(binding = 1) readonly buffer Before { uint before[]; };
layout(push_constant) uniform Push { uint width, height, steps, frame; };

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= width || y >= height) return;
  const uint left = before[y * width + (x + width - 1u) % width];
  const uint above = before[(y + height - 1u) % height * width + x];
  float a = float(left & 255u) / 255.0, b = float(above >> 8 & 255u) / 255.0;
  const float c = float(x + y + frame & 255u) / 4096.0;
  for (uint i = 0u; i < steps; ++i) {
    a = a * 0.75 + b * 0.25 + c;
    b = b * 0.875 + a * 0.0625 - c;
  }
  const uint red = uint(min(abs(a), 1.0) * 255.0), green = uint(min(abs(b), 1.0) * 255.0);
  image[y * width + x] = 0xFF000000u | (frame & 255u) << 16 | green << 8 | red;
}
