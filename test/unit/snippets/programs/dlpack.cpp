// A DLPack view may be consumed and dropped while the pixels stay the producer's. Under AddressSanitizer a wrong
// deleter is a double free or a leak.

#include <memory>
#include <vector>

#include "dlpack_view.hpp"
#include "expect.hpp"

int main() {
  std::vector<uint8_t> pixels(2 * 256, 7);  // two rows of 256 bytes, of which 3 pixels are used
  for (int frame = 0; frame < 3; ++frame) {
    DLManagedTensor* view = make_view(pixels.data(), 1, 2, 3, 256);
    const DLTensor& tensor = view->dl_tensor;
    EXPECT(tensor.data == pixels.data() && tensor.byte_offset == 0);
    EXPECT(tensor.device.device_type == kDLCUDA && tensor.device.device_id == 1);
    EXPECT(tensor.ndim == 3 && tensor.dtype.code == kDLUInt && tensor.dtype.bits == 8 && tensor.dtype.lanes == 1);
    EXPECT(tensor.shape[0] == 2 && tensor.shape[1] == 3 && tensor.shape[2] == 4);
    EXPECT(tensor.strides[0] == 256 && tensor.strides[1] == 4 && tensor.strides[2] == 1);
    view->deleter(view);  // what a consumer does, once
    pixels[0] = static_cast<uint8_t>(frame);
    EXPECT(pixels[511] == 7);
  }
  return 0;
}
