#pragma once
// seamtest: the whole of a sacrificial process of the seam test.

#include <napi.h>

namespace seamscope {

void RegisterSeamTest(Napi::Env env, Napi::Object exports);

}  // namespace seamscope
