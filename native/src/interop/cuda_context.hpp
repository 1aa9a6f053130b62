#pragma once
// The CUDA side of the seam: the driver's wrapped table, a primary context that is current on this thread, and the
// error texts.

#include <memory>

#include "drivers/cuda_interop.hpp"

namespace seamscope::interop {

class CudaContext {
 public:
  static Result<std::shared_ptr<CudaContext>> create(int ordinal);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  const cuda::InteropApi& api() const { return table_; }
  int ordinal() const { return ordinal_; }
  cuda::CUdevice device() const { return device_; }
  cuda::CUcontext handle() const { return context_; }
  // Of several contexts in one process the one created last is current.
  Result<void> make_current() const { return check("cuCtxSetCurrent", table_.cuCtxSetCurrent(context_)); }
  int multiprocessors() const { return multiprocessors_; }

  // `call` is the entry point's name.
  Error error(const char* call, cuda::CUresult result) const;
  Result<void> check(const char* call, cuda::CUresult result) const;

 private:
  CudaContext() = default;
  Result<void> open(int ordinal);

  cuda::Api driver_;
  cuda::InteropApi table_;
  int ordinal_ = 0, multiprocessors_ = 1;
  cuda::CUdevice device_ = 0;
  cuda::CUcontext context_ = nullptr;
};

}  // namespace seamscope::interop
