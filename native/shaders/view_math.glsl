// The formulae of preview/view_math.hpp.

const float kClipSlack = 1.0 / 1024.0;
const float kToneMapMost = 1e9;
const float kInfStandIn = 65504.0;

float clamp01(float v) { return v > 0.0 ? min(v, 1.0) : 0.0; }

float srgb_decode(float v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }
float srgb_encode(float v) { return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1.0 / 2.4) - 0.055; }

float reinhard(float v) { return v / (1.0 + v); }
float aces(float v) { return clamp01(v * (2.51 * v + 0.03) / (v * (2.43 * v + 0.59) + 0.14)); }

float luminance(vec3 c) { return dot(c, vec3(0.2126, 0.7152, 0.0722)); }
float curve(float v, float inv_gamma) {
  float c = clamp01(v);
  return inv_gamma == 1.0 || c == 0.0 ? c : pow(c, inv_gamma);
}
uint quantise(float v) { return uint(255.0 * clamp01(v) + 0.5); }

// Powers 0 to 6 of s, one row of coefficients each.
const vec3 kTurbo[7] = vec3[](
    vec3(0.13572138, 0.09140261, 0.10667330), vec3(4.61539260, 2.19418839, 12.64194608), vec3(-42.66032258, 4.84296658, -60.58204836),
    vec3(132.13108234, -14.18503333, 110.36276771), vec3(-152.94239396, 4.27729857, -89.90310912),
    vec3(59.28637943, 2.82956604, 27.34824973), vec3(0.0));
const vec3 kViridis[7] = vec3[](
    vec3(0.27772733, 0.00540734, 0.33409981), vec3(0.10509304, 1.40461353, 1.38459016), vec3(-0.33086183, 0.21484756, 0.09509516),
    vec3(-4.63423050, -5.79910097, -19.33244096), vec3(6.22826994, 14.17993337, 56.69055260),
    vec3(4.77638500, -13.74514538, -65.35303263), vec3(-5.43545586, 4.64585261, 26.31243525));

vec3 color_map(vec3 map[7], float s) {
  vec3 v = map[6];
  for (int power = 5; power >= 0; --power) v = v * s + map[power];
  return v;
}

uint id_key(uint low, uint high) { return low ^ (high * 0x9E3779B9u); }

uint hash32(uint x) {
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

uint pack(uint r, uint g, uint b) { return r | g << 8 | b << 16 | 0xFF000000u; }

uint label_color(uint key) {
  uint r = 0u, g = 0u, b = 0u;
  for (uint bit = 0u; bit < 3u; ++bit) {
    r |= (key >> 3u * bit & 1u) << 7u - bit;
    g |= (key >> 3u * bit + 1u & 1u) << 7u - bit;
    if (bit < 2u) b |= (key >> 3u * bit + 2u & 1u) << 7u - bit;
  }
  return pack(r, g, b);
}

float normal_value(float v) { return clamp01(v * 0.5 + 0.5); }
float third_component(float x, float y) {
  float rest = 1.0 - x * x - y * y;
  return rest > 0.0 ? sqrt(rest) : 0.0;
}

vec3 motion_color(float x, float y) {
  float magnitude = sqrt(x * x + y * y);
  if (magnitude == 0.0) return vec3(1.0);  // atan(0, 0) is undefined
  float hue = atan(y, x) * 0.954929659;
  if (hue < 0.0) hue += 6.0;
  vec3 full = vec3(abs(hue - 3.0) - 1.0, 2.0 - abs(hue - 2.0), 2.0 - abs(hue - 4.0));
  return vec3(1.0) - clamp01(magnitude) * (vec3(1.0) - clamp(full, 0.0, 1.0));
}

vec3 diverging_color(float d, float inv_gamma) {
  float m = curve(abs(d), inv_gamma);
  return d > 0.0 ? m * vec3(1.0, 0.3, 0.18) : m * vec3(0.16, 0.47, 1.0);
}

uint palette(uint key) {
  if (key == 0u) return pack(0u, 0u, 0u);
  uint h = hash32(key);
  uint hue = (h & 0xFFFFu) * 6u, sector = hue >> 16, f = hue >> 8 & 0xFFu;
  uint s = 115u + (h >> 16 & 0xFFu) * 102u / 255u, v = 166u + (h >> 24) * 89u / 255u;
  uint p = v * (255u - s) / 255u;
  uint q = v * (65025u - s * f) / 65025u;
  uint t = v * (65025u - s * (255u - f)) / 65025u;
  if (sector == 0u) return pack(v, t, p);
  if (sector == 1u) return pack(q, v, p);
  if (sector == 2u) return pack(p, v, t);
  if (sector == 3u) return pack(p, q, v);
  if (sector == 4u) return pack(t, p, v);
  return pack(v, p, q);
}
