#include "addon/preview.hpp"

namespace seamscope {

void RegisterPreview(Napi::Env, Napi::Object) {}

}  // namespace seamscope
