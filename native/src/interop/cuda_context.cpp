#include "interop/cuda_context.hpp"

#include "interop/driver_tap.hpp"

namespace seamscope::interop {
namespace {

const char* next_step(cuda::CUresult result) {
  if (result == cuda::CUDA_ERROR_OUT_OF_MEMORY)
    return "Free GPU memory (nvidia-smi lists who holds it) or choose a smaller frame.";
  return "Run `seamscope doctor`; look for Xid messages of the driver in the kernel log (dmesg).";
}

}  // namespace

Result<std::shared_ptr<CudaContext>> CudaContext::create(int ordinal) {
  std::shared_ptr<CudaContext> context(new CudaContext);
  if (auto opened = context->open(ordinal); !opened) return opened.error();
  return context;
}

Result<void> CudaContext::open(int ordinal) {
  auto driver = cuda::load();
  if (!driver) return driver.error();
  driver_ = std::move(*driver);
  auto table = cuda::load_interop(driver_);
  if (!table) return table.error();
  table_ = DriverTap::process().wrap(*table);
  ordinal_ = ordinal;
  if (auto done = check("cuInit", table_.cuInit(0)); !done) return done;
  if (auto done = check("cuDeviceGet", table_.cuDeviceGet(&device_, ordinal)); !done) return done;
  const auto attribute = cuda::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
  auto done = check("cuDeviceGetAttribute", table_.cuDeviceGetAttribute(&multiprocessors_, attribute, device_));
  if (!done) return done;
  done = check("cuDevicePrimaryCtxRetain", table_.cuDevicePrimaryCtxRetain(&context_, device_));
  if (!done) return done;
  return make_current();
}

CudaContext::~CudaContext() {
  if (context_) table_.cuDevicePrimaryCtxRelease(device_);
}

Error CudaContext::error(const char* call, cuda::CUresult result) const {
  const std::string text = cuda::result_text(driver_, result);
  return Error{std::string(call) + " failed: " + text + ".", next_step(result), text};
}

Result<void> CudaContext::check(const char* call, cuda::CUresult result) const {
  if (result == cuda::CUDA_SUCCESS) return {};
  return error(call, result);
}

}  // namespace seamscope::interop
