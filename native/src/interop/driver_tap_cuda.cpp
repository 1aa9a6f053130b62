// Wraps the CUDA table. The kind of a call follows from its name.

#include <chrono>
#include <string_view>

#include "interop/driver_tap.hpp"

namespace seamscope::interop {
namespace {

using cuda::CUresult;
using cuda::InteropApi;
InteropApi real_table;

constexpr CallKind kind_of(std::string_view name) {
  if (name == "cuMemcpyDtoH" || name == "cuMemcpyHtoDAsync") return CallKind::HostCopy;
  if (name == "cuImportExternalMemory") return CallKind::MemoryImport;
  if (name == "cuImportExternalSemaphore") return CallKind::SemaphoreImport;
  if (name == "cuMemExportToShareableHandle") return CallKind::MemoryExport;
  return CallKind::Other;
}

// One function for each entry: Member is the table's member, Name a type whose text() is the call's name.
template <auto Member, typename Name, typename... Arguments>
CUresult counted(Arguments... arguments) {
  constexpr CallKind kKind = kind_of(Name::text());
  auto& tap = DriverTap::process();
  if (tap.enter(Name::text())) return cuda::CUDA_ERROR_OUT_OF_MEMORY;
  const auto start = std::chrono::steady_clock::now();
  const CUresult result = (real_table.*Member)(arguments...);
  if (result == cuda::CUDA_SUCCESS) {
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    tap.leave(Name::text(), kKind, took.count());
  }
  return result;
}

template <auto Member, typename Name, typename... Arguments>
auto hook(CUresult (*)(Arguments...)) {
  return &counted<Member, Name, Arguments...>;
}

#define SEAMSCOPE_NAME(name, symbol, parameters)          \
  struct Name_##name {                                    \
    static constexpr const char* text() { return #name; } \
  };
SEAMSCOPE_CUDA_INTEROP(SEAMSCOPE_NAME)
#undef SEAMSCOPE_NAME

}  // namespace

InteropApi DriverTap::wrap(const InteropApi& real) {
  real_table = real;
  InteropApi table;
#define SEAMSCOPE_HOOK(name, symbol, parameters) table.name = hook<&InteropApi::name, Name_##name>(real.name);
  SEAMSCOPE_CUDA_INTEROP(SEAMSCOPE_HOOK)
#undef SEAMSCOPE_HOOK
  return table;
}

}  // namespace seamscope::interop
