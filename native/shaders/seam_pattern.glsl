// The seam test's frame pattern, the same as in ../kernels/seam.cu: differs in every word between any two frames.

uint pattern(uint index, uint frame) {
  return (index ^ (frame * 0x9E3779B9u)) * 0x85EBCA6Bu;
}
