// Stored numbers to values: the GLSL side of preview/decode.hpp and preview/texel.hpp. The dtype is a specialization constant, so every
// test of it is resolved when the pipeline is made. Floats travel as bits as long as NaN and infinity matter: compilers may assume that
// values have neither.

layout(constant_id = 0) const uint kDtype = 0;
// False where a number may begin at any byte, or an 8-byte one at any word.
layout(constant_id = 1) const bool kAligned = true;

const uint kBool = 0u, kU8 = 1u, kI8 = 2u, kU16 = 3u, kI16 = 4u, kU32 = 5u, kI32 = 6u, kI64 = 7u, kF16 = 8u, kBF16 = 9u, kF32 = 10u,
           kF64 = 11u, kR11G11B10F = 12u, kRGB10A2 = 13u, kD24S8 = 14u;

const bool kOneByte = kDtype == kBool || kDtype == kU8 || kDtype == kI8;
const bool kTwoBytes = kDtype == kU16 || kDtype == kI16 || kDtype == kF16 || kDtype == kBF16;
const bool kEightBytes = kDtype == kI64 || kDtype == kF64;
const bool kSigned = kDtype == kI8 || kDtype == kI16 || kDtype == kI32;
const bool kFloats = kDtype == kF16 || kDtype == kBF16 || kDtype == kF32 || kDtype == kF64 || kDtype == kR11G11B10F || kDtype == kD24S8;

const uint kInfinity = 0x7F800000u;

// A stored number: the bits, zero- or sign-extended to a word; two words for 64-bit types.
struct Stored {
  uint low, high;
};

bool is_nan(uint bits) { return (bits & 0x7FFFFFFFu) > kInfinity; }
bool is_infinite(uint bits) { return (bits & 0x7FFFFFFFu) == kInfinity; }
bool is_negative(uint bits) { return (bits & 0x80000000u) != 0u && bits != 0x80000000u; }

uint half_bits(uint half_float) {
  uint magnitude = (half_float & 0x7FFFu) << 13, sign = (half_float & 0x8000u) << 16;
  if (magnitude >= (0x7C00u << 13)) return magnitude + (0xFFu - 0x1Fu << 23) | sign;
  // One multiplication rescales the exponent; subnormals are made of integers, since shaders may flush them.
  if (magnitude < (1u << 23)) return floatBitsToUint(float(half_float & 0x3FFu) * (1.0 / 16777216.0)) | sign;
  return magnitude + (112u << 23) | sign;
}

uint packed_float_bits(uint texel, uint channel) {
  if (channel == 0u) return half_bits((texel & 0x7FFu) << 4);
  if (channel == 1u) return half_bits((texel >> 11 & 0x7FFu) << 4);
  return half_bits(texel >> 22 << 5);
}

// Rounded to nearest even; what is below the smallest normal float becomes the smallest subnormal one.
uint double_bits(uint low, uint high) {
  uint sign = high & 0x80000000u, magnitude = high & 0x7FFFFFFFu;
  if (magnitude >= 0x7FF00000u) return sign | kInfinity | ((magnitude & 0xFFFFFu) != 0u || low != 0u ? 0x400000u : 0u);
  if (magnitude >= 0x47F00000u) return sign | kInfinity;
  if (magnitude < 0x38100000u) return sign | (magnitude != 0u || low != 0u ? 1u : 0u);
  uint bits = magnitude - 0x38000000u << 3 | low >> 29;
  uint rest = low & 0x1FFFFFFFu;
  if (rest > 0x10000000u || rest == 0x10000000u && (bits & 1u) != 0u) bits += 1u;
  return sign | bits;
}

// Value of a signed 64-bit integer, to float precision.
float long_value(uint low, uint high) {
  bool negative = (high & 0x80000000u) != 0u;
  if (negative) {
    low = ~low + 1u;
    high = ~high + (low == 0u ? 1u : 0u);
  }
  float magnitude = float(high) * 4294967296.0 + float(low);
  return negative ? -magnitude : magnitude;
}

// The bits of the float that a number is shown as; channel matters for packed formats.
uint value_bits(Stored number, uint channel) {
  if (kDtype == kF16) return half_bits(number.low);
  if (kDtype == kBF16) return number.low << 16;
  if (kDtype == kF32) return number.low;
  if (kDtype == kF64) return double_bits(number.low, number.high);
  if (kDtype == kI64) return floatBitsToUint(long_value(number.low, number.high));
  if (kDtype == kR11G11B10F) return packed_float_bits(number.low, channel);
  if (kDtype == kD24S8) return floatBitsToUint(float(number.low & 0xFFFFFFu) / 16777215.0);
  if (kSigned) return floatBitsToUint(float(int(number.low)));
  return floatBitsToUint(float(number.low));
}

// Narrow integers and packed fields out of the word that was loaded.
Stored extended(Stored number, uint channel) {
  if (kDtype == kBool) number.low = number.low != 0u ? 1u : 0u;
  if (kDtype == kI8) number.low = uint(int(number.low << 24) >> 24);
  if (kDtype == kI16) number.low = uint(int(number.low << 16) >> 16);
  if (kDtype == kRGB10A2) number.low = channel < 3u ? number.low >> 10u * channel & 0x3FFu : number.low >> 30;
  return number;
}

// Defines Stored NAME(uint at, uint channel): the number at byte `at` of the storage buffer block whose member words is WORDS.
#define DEFINE_LOAD(NAME, WORDS)                                                              \
  uint NAME##_word(uint at) {                                                                 \
    uint i = at >> 2, shift = (at & 3u) * 8u;                                                 \
    uint word = WORDS[i] >> shift;                                                            \
    uint bytes = kOneByte ? 1u : kTwoBytes ? 2u : 4u;                                         \
    if (!kAligned && (at & 3u) + bytes > 4u) word |= WORDS[i + 1u] << 32u - shift;            \
    return kOneByte ? word & 0xFFu : kTwoBytes ? word & 0xFFFFu : word;                       \
  }                                                                                           \
  Stored NAME(uint at, uint channel) {                                                        \
    return extended(Stored(NAME##_word(at), kEightBytes ? NAME##_word(at + 4u) : 0u), channel); \
  }
