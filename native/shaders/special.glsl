// Which stored numbers are no finite values.

bool infinite_number(Stored number, uint bits) {
  if (kDtype == kF64) return (number.high & 0x7FFFFFFFu) == 0x7FF00000u && number.low == 0u;
  return kFloats && is_infinite(bits);
}
