// The built-in scene's geometry and shading: one text for both renderers. scene.comp includes it as GLSL, scene/host_packet.hpp as
// members of a C++ class. Everything is computed for packets of four pixels side by side: Real4 and Mask4 hold one number a pixel,
// Vec3x4 three. Plain vec4 and float are the same for the whole packet. Lengths are metres, radiance is linear.
//
// What the including text provides: view (SceneView), sphere_word(i, k) and box_word(i, k) (vec4 k of object i, see scene_records.hpp),
// INOUT, PACKET_CONST, and the usual functions of GLSL on packets.

PACKET_CONST float kFarDepth = 32.0f;
PACKET_CONST float kFloorRadius = 9.0f;
PACKET_CONST float kFloorThickness = 0.35f;
PACKET_CONST uint kFloorId = 1u;

struct Ray {
  Vec3x4 dir;    // forward component 1, so the ray parameter is the depth
  Real4 u, v;    // right and up components of dir
  Real4 square;  // dot(dir, dir)
  Real4 inv_length;
};

struct Surface {
  Real4 t;
  Uint4 id;
  Vec3x4 normal;
  Vec3x4 albedo;
  Real4 metal, gloss, emission;
};

struct Masks {
  uint spheres, boxes;                    // that may be seen by the packet
  uint shadow_spheres, shadow_boxes;      // that may darken what is seen
};

Vec3x4 scale(Vec3x4 a, Real4 s) { return Vec3x4(a[0] * s, a[1] * s, a[2] * s); }
Vec3x4 uniform3(vec4 a) { return Vec3x4(Real4(a.x), Real4(a.y), Real4(a.z)); }
Vec3x4 uniform3(float x, float y, float z) { return Vec3x4(Real4(x), Real4(y), Real4(z)); }
Vec3x4 blend(Vec3x4 a, Vec3x4 b, Real4 k) { return Vec3x4(mix(a[0], b[0], k), mix(a[1], b[1], k), mix(a[2], b[2], k)); }
Vec3x4 choose(Vec3x4 a, Vec3x4 b, Mask4 m) { return Vec3x4(mix(a[0], b[0], m), mix(a[1], b[1], m), mix(a[2], b[2], m)); }
Real4 dot3(Vec3x4 a, Vec3x4 b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Real4 dot3(Vec3x4 a, vec4 b) { return a[0] * b.x + a[1] * b.y + a[2] * b.z; }
Real4 latest(Real4 a, Real4 b, Real4 c) { return max(max(a, b), c); }
Real4 soonest(Real4 a, Real4 b, Real4 c) { return min(min(a, b), c); }
Real4 saturate(Real4 a) { return clamp(a, 0.0f, 1.0f); }
Real4 smooth01(Real4 a) { return a * a * (3.0f - 2.0f * a); }
Real4 power4(Real4 a) { return (a * a) * (a * a); }

// x, y: pixel coordinates, 0 at the top left.
Ray ray_through(Real4 x, Real4 y) {
  Ray ray;
  ray.u = x * view.lens.x + view.lens.y;
  ray.v = y * view.lens.z + view.lens.w;
  ray.dir = Vec3x4(ray.u * view.right.x + ray.v * view.up.x + view.forward.x,
                   ray.u * view.right.y + ray.v * view.up.y + view.forward.y,
                   ray.u * view.right.z + ray.v * view.up.z + view.forward.z);
  ray.square = ray.u * ray.u + ray.v * ray.v + 1.0f;
  ray.inv_length = 1.0f / sqrt(ray.square);
  return ray;
}

Vec3x4 point_at(Ray ray, Real4 t) { return uniform3(view.eye) + scale(ray.dir, t); }

// ---- sky ----

Vec3x4 sky_radiance(Vec3x4 dir) {
  Real4 rise = 1.0f - saturate(dir[1]);
  Real4 haze = power4(rise * rise * rise);
  Vec3x4 color = blend(uniform3(0.07f, 0.17f, 0.42f), uniform3(0.72f, 0.46f, 0.32f), haze);
  Real4 below = saturate(-2.6f * dir[1]);
  color = blend(color, uniform3(0.07f, 0.08f, 0.15f), below * (2.0f - below));
  Real4 toward = max(dot3(dir, view.sun), Real4(0.0f));
  Real4 near = power4(toward * toward);
  Real4 glow = near * 0.22f + power4(near) * near * 0.55f;
  Real4 disc = smooth01(saturate((toward - 0.9988f) * 1600.0f)) * 320.0f;
  return color + scale(uniform3(1.0f, 0.78f, 0.52f), glow + disc);
}

// ---- what is seen ----

Surface nothing() {
  Surface hit;
  hit.t = Real4(kFarDepth);
  hit.id = Uint4(0u);
  hit.normal = uniform3(0.0f, 1.0f, 0.0f);
  hit.albedo = uniform3(0.0f, 0.0f, 0.0f);
  hit.metal = Real4(0.0f);
  hit.gloss = Real4(0.0f);
  hit.emission = Real4(0.0f);
  return hit;
}

// One where the square grid of side 1 m is dark, averaged over a window of `width` metres.
Real4 checker(Real4 x, Real4 z, Real4 width) {
  Real4 half_width = width * 0.5f;
  Real4 ax = abs(fract((x - half_width) * 0.5f) - 0.5f) - abs(fract((x + half_width) * 0.5f) - 0.5f);
  Real4 az = abs(fract((z - half_width) * 0.5f) - 0.5f) - abs(fract((z + half_width) * 0.5f) - 0.5f);
  return 0.5f - 2.0f * ax * az / (width * width);
}

// Checkered inside, a plain border, a thin ring of light between them.
void paint_floor(INOUT(Surface) hit, Mask4 m, Real4 x, Real4 z, Real4 r2, Real4 width) {
  Real4 radius = sqrt(r2);
  Real4 dark = checker(x, z, width);
  Real4 edge = saturate((radius - 8.2f) / width + 0.5f);
  Real4 ring = saturate(0.5f - (abs(radius - 8.2f) - 0.05f) / width);
  Vec3x4 tiles = blend(uniform3(0.46f, 0.42f, 0.37f), uniform3(0.06f, 0.08f, 0.13f), dark);
  Vec3x4 color = blend(tiles, uniform3(0.10f, 0.09f, 0.11f), edge);
  color = blend(color, uniform3(0.05f, 0.42f, 0.85f), ring);
  hit.albedo = choose(hit.albedo, color, m);
  hit.gloss = mix(hit.gloss, Real4(0.35f), m);
  hit.emission = mix(hit.emission, ring * 1.8f, m);
}

void see_floor(INOUT(Surface) hit, Ray ray) {
  Real4 t = -view.eye.y / ray.dir[1];
  Real4 x = view.eye.x + t * ray.dir[0];
  Real4 z = view.eye.z + t * ray.dir[2];
  Real4 r2 = x * x + z * z;
  Mask4 m = both(lessThan(ray.dir[1], Real4(0.0f)), lessThan(r2, Real4(kFloorRadius * kFloorRadius)));
  hit.t = mix(hit.t, t, m);
  hit.id = mix(hit.id, Uint4(kFloorId), m);
  // A pixel's footprint on the floor grows with distance and with the slant of the ray.
  Real4 slant = -ray.dir[1] * ray.inv_length;
  paint_floor(hit, m, x, z, r2, t * view.lens.x / max(slant, Real4(0.05f)));
}

void see_rim(INOUT(Surface) hit, Ray ray) {
  Real4 a = ray.dir[0] * ray.dir[0] + ray.dir[2] * ray.dir[2];
  Real4 b = ray.dir[0] * view.eye.x + ray.dir[2] * view.eye.z;
  float c = view.eye.x * view.eye.x + view.eye.z * view.eye.z - kFloorRadius * kFloorRadius;
  Real4 h = b * b - a * c;
  Real4 t = (-b - sqrt(max(h, Real4(0.0f)))) / a;
  Real4 y = view.eye.y + t * ray.dir[1];
  Mask4 m = both(both(lessThan(Real4(0.0f), h), lessThan(y, Real4(0.0f))), lessThan(Real4(-kFloorThickness), y));
  hit.t = mix(hit.t, t, m);
  hit.id = mix(hit.id, Uint4(kFloorId), m);
  Vec3x4 normal = Vec3x4((view.eye.x + t * ray.dir[0]) / kFloorRadius, Real4(0.0f), (view.eye.z + t * ray.dir[2]) / kFloorRadius);
  hit.normal = choose(hit.normal, normal, m);
  hit.albedo = choose(hit.albedo, uniform3(0.30f, 0.26f, 0.27f), m);
  hit.gloss = mix(hit.gloss, Real4(0.2f), m);
}

// look: metal, gloss, emission, number of stripes.
void paint(INOUT(Surface) hit, Mask4 m, Vec3x4 normal, vec4 albedo, vec4 look) {
  Real4 wave = abs(fract(normal[1] * look.w) * 2.0f - 1.0f);
  Real4 stripe = saturate((wave - 0.5f) * 8.0f + 0.5f) * min(look.w, 1.0f);
  hit.normal = choose(hit.normal, normal, m);
  hit.albedo = choose(hit.albedo, blend(uniform3(albedo), uniform3(0.90f, 0.88f, 0.84f), stripe), m);
  hit.metal = mix(hit.metal, Real4(look.x), m);
  hit.gloss = mix(hit.gloss, Real4(look.y), m);
  hit.emission = mix(hit.emission, Real4(look.z), m);
}

void see_sphere(INOUT(Surface) hit, Ray ray, uint i, bool shaded) {
  vec4 eye_space = sphere_word(i, 0u);
  vec4 world = sphere_word(i, 1u);
  vec4 albedo = sphere_word(i, 2u);
  Real4 b = ray.u * eye_space.x + ray.v * eye_space.y + eye_space.z;
  Real4 h = b * b - ray.square * eye_space.w;
  Real4 t = (b - sqrt(max(h, Real4(0.0f)))) * (ray.inv_length * ray.inv_length);
  Mask4 m = both(lessThan(Real4(0.0f), h), lessThan(t, hit.t));
  hit.t = mix(hit.t, t, m);
  hit.id = mix(hit.id, Uint4(float_bits(albedo.w)), m);
  if (shaded) paint(hit, m, scale(point_at(ray, t) - uniform3(world), Real4(1.0f / world.w)), albedo, sphere_word(i, 3u));
}

void see_box(INOUT(Surface) hit, Ray ray, uint i, bool shaded) {
  vec4 size = box_word(i, 4u);      // half extents, cosine
  vec4 lit = box_word(i, 5u);       // see shadow_of_box; sine
  vec4 eye = box_word(i, 6u);       // the eye in the box's frame
  vec4 albedo = box_word(i, 2u);
  Real4 dx = ray.dir[0] * size.w - ray.dir[2] * lit.w;
  Real4 dz = ray.dir[0] * lit.w + ray.dir[2] * size.w;
  Real4 ix = 1.0f / dx, iy = 1.0f / ray.dir[1], iz = 1.0f / dz;
  Real4 nx = -ix * eye.x - abs(ix) * size.x, ny = -iy * eye.y - abs(iy) * size.y, nz = -iz * eye.z - abs(iz) * size.z;
  Real4 fx = abs(ix) * size.x - ix * eye.x, fy = abs(iy) * size.y - iy * eye.y, fz = abs(iz) * size.z - iz * eye.z;
  Real4 t = latest(nx, ny, nz);
  Mask4 m = both(lessThan(t, soonest(fx, fy, fz)), both(lessThan(Real4(0.0f), t), lessThan(t, hit.t)));
  hit.t = mix(hit.t, t, m);
  hit.id = mix(hit.id, Uint4(float_bits(albedo.w)), m);
  if (!shaded) return;
  Real4 zero = Real4(0.0f), one = Real4(1.0f);
  Mask4 on_x = lessThan(max(ny, nz), nx), on_y = lessThan(max(nx, nz), ny);
  Real4 lx = mix(zero, mix(-one, one, lessThan(dx, zero)), on_x);
  Real4 ly = mix(zero, mix(-one, one, lessThan(ray.dir[1], zero)), on_y);
  Real4 lz = mix(mix(mix(-one, one, lessThan(dz, zero)), zero, on_x), zero, on_y);
  Vec3x4 normal = Vec3x4(lx * size.w + lz * lit.w, ly, lz * size.w - lx * lit.w);
  paint(hit, m, normal, albedo, box_word(i, 3u));
}

Surface see(Ray ray, Masks masks, bool has_floor, bool has_spheres, bool has_boxes, bool shaded) {
  Surface hit = nothing();
  if (has_floor) {
    see_floor(hit, ray);
    see_rim(hit, ray);
  }
  if (has_spheres)
    for (uint m = masks.spheres; m != 0u; m &= m - 1u) see_sphere(hit, ray, lowest_bit(m), shaded);
  if (has_boxes)
    for (uint m = masks.boxes; m != 0u; m &= m - 1u) see_box(hit, ray, lowest_bit(m), shaded);
  return hit;
}

// ---- light ----

struct Light {
  Real4 sun;      // 0 in full shadow
  Real4 ambient;  // 1 in the open
};

// How much of the sky a sphere of radius r takes from a surface, `to` being the way to its centre and d2 its square. Falls faster
// than the solid angle; the cut bounds its reach.
Real4 sky_hidden(Vec3x4 to, Real4 d2, Vec3x4 normal, float r) {
  return saturate(dot3(to, normal) * (r * r * r) / (d2 * d2) - 0.03f);
}

void shadow_of_sphere(INOUT(Light) light, Vec3x4 at, Vec3x4 normal, uint i) {
  vec4 world = sphere_word(i, 1u);
  Vec3x4 to = uniform3(world) - at;
  Real4 along = dot3(to, view.sun), d2 = dot3(to, to);
  Real4 gap = d2 - along * along - world.w * world.w;  // about 2 r times the distance between sphere and ray
  Real4 open = saturate(gap * (4.5f / world.w) / max(along, Real4(0.02f)) + 0.5f);
  light.sun *= mix(Real4(1.0f), smooth01(open), lessThan(Real4(0.0f), along));
  light.ambient *= 1.0f - sky_hidden(to, d2, normal, world.w);
}

// The soft edge is judged by how far the entry lies behind the exit.
void shadow_of_box(INOUT(Light) light, Vec3x4 at, Vec3x4 normal, uint i) {
  vec4 world = box_word(i, 1u);
  vec4 size = box_word(i, 4u);
  vec4 lit = box_word(i, 5u);  // one over the sun's direction in the box's frame; sine
  Vec3x4 to = uniform3(world) - at;
  Real4 x = to[0] * size.w - to[2] * lit.w, z = to[0] * lit.w + to[2] * size.w;
  float kx = abs(lit.x) * size.x, ky = abs(lit.y) * size.y, kz = abs(lit.z) * size.z;
  Real4 enter = latest(x * lit.x - kx, to[1] * lit.y - ky, z * lit.z - kz);
  Real4 leave = soonest(x * lit.x + kx, to[1] * lit.y + ky, z * lit.z + kz);
  Real4 open = saturate((enter - leave) * 7.0f / max(enter, Real4(0.1f)) + 0.5f);
  light.sun *= mix(Real4(1.0f), smooth01(open), lessThan(Real4(0.0f), leave));
  Vec3x4 to_foot = Vec3x4(to[0], min(world.y, world.w) - at[1], to[2]);
  light.ambient *= 1.0f - sky_hidden(to_foot, dot3(to_foot, to_foot), normal, world.w);
}

Light light_at(Vec3x4 at, Vec3x4 normal, Masks masks) {
  Light light;
  light.sun = Real4(1.0f);
  light.ambient = Real4(1.0f);
  for (uint m = masks.shadow_spheres; m != 0u; m &= m - 1u) shadow_of_sphere(light, at, normal, lowest_bit(m));
  for (uint m = masks.shadow_boxes; m != 0u; m &= m - 1u) shadow_of_box(light, at, normal, lowest_bit(m));
  return light;
}

// What a mirror at `at` sees along `dir`: sky, or the floor without the objects on it.
Vec3x4 mirrored(Vec3x4 at, Vec3x4 dir) {
  Real4 t = at[1] / max(-dir[1], Real4(0.001f));
  Real4 x = at[0] + t * dir[0], z = at[2] + t * dir[2];
  Real4 r2 = x * x + z * z;
  Mask4 m = both(lessThan(dir[1], Real4(0.0f)), lessThan(r2, Real4(kFloorRadius * kFloorRadius)));
  Real4 dark = checker(x, z, Real4(0.02f) + t * 0.03f);
  Vec3x4 floor_color = blend(uniform3(0.66f, 0.53f, 0.40f), uniform3(0.09f, 0.11f, 0.16f), dark);
  return choose(sky_radiance(dir), floor_color, m);
}

// Radiance towards the eye of what `hit` describes.
Vec3x4 surface_radiance(Surface hit, Ray ray, Masks masks, bool has_objects) {
  Vec3x4 at = point_at(ray, hit.t) + scale(hit.normal, Real4(0.015f));
  Light light = light_at(at, hit.normal, masks);
  Vec3x4 to_eye = scale(ray.dir, -ray.inv_length);
  Real4 facing = max(dot3(hit.normal, to_eye), Real4(0.0f));
  Vec3x4 bounce = scale(hit.normal, 2.0f * facing) - to_eye;
  Real4 sunlit = max(dot3(hit.normal, view.sun), Real4(0.0f)) * light.sun;

  Vec3x4 ambient = blend(uniform3(0.13f, 0.11f, 0.11f), uniform3(0.19f, 0.25f, 0.38f), hit.normal[1] * 0.5f + 0.5f);
  Vec3x4 diffuse = scale(ambient, light.ambient) + scale(uniform3(2.1f, 1.66f, 1.15f), sunlit);
  Vec3x4 color = Vec3x4(hit.albedo[0] * diffuse[0], hit.albedo[1] * diffuse[1], hit.albedo[2] * diffuse[2]);
  color = scale(color, 1.0f - hit.metal);

  Vec3x4 surroundings;
  if (has_objects) surroundings = mirrored(at, bounce);
  else surroundings = sky_radiance(bounce);
  Real4 grazing = 1.0f - facing;
  Real4 fresnel = power4(grazing) * grazing;
  Vec3x4 mirror = blend(uniform3(0.04f, 0.04f, 0.04f), hit.albedo, hit.metal);
  mirror = scale(blend(mirror, uniform3(1.0f, 1.0f, 1.0f), fresnel), hit.gloss);
  // The reflected sun disc is in shadow where the surface is.
  Real4 seen = light.ambient * (light.sun * 0.6f + 0.4f);
  color = color + Vec3x4(mirror[0] * min(surroundings[0], Real4(160.0f)) * seen, mirror[1] * min(surroundings[1], Real4(160.0f)) * seen,
                         mirror[2] * min(surroundings[2], Real4(160.0f)) * seen);
  return color + scale(hit.albedo, hit.emission);
}

Vec3x4 packet_radiance(Surface hit, Ray ray, Masks masks, bool has_floor, bool has_objects) {
  Vec3x4 sky = sky_radiance(scale(ray.dir, ray.inv_length));
  if (!has_floor && !has_objects) return sky;
  return choose(surface_radiance(hit, ray, masks, has_objects), sky, lessThan(Real4(kFarDepth - 0.001f), hit.t));
}

// ---- what a screen shows of it ----

// A filmic curve (Narkowicz), then sRGB by square roots (within 1.5 / 255 of the exact curve).
Real4 display(Real4 radiance) {
  Real4 v = saturate(radiance * (2.51f * radiance + 0.03f) / (radiance * (2.43f * radiance + 0.59f) + 0.14f));
  Real4 s1 = sqrt(v);
  return saturate(1.62251669f * s1 - 0.18831826f * sqrt(s1) + v * (0.21857990f * s1 - 0.65277834f));
}

Uint4 to_byte(Real4 v) { return Uint4(display(v) * 255.0f + 0.5f); }

// Red in the lowest byte, alpha 255.
Uint4 packed_color(Vec3x4 radiance) {
  return to_byte(radiance[0]) | (to_byte(radiance[1]) << 8) | (to_byte(radiance[2]) << 16) | Uint4(0xFF000000u);
}
