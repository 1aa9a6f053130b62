#include <utility>

#include "interop/cuda_memory.hpp"

namespace seamscope::interop {

Result<std::unique_ptr<CudaAllocation>> CudaAllocation::create(std::shared_ptr<CudaContext> cuda, Ledger& ledger,
                                                               uint64_t bytes, const std::string& label) {
  std::unique_ptr<CudaAllocation> allocation(new CudaAllocation(std::move(cuda), ledger));
  if (auto done = allocation->allocate(bytes, label); !done) return done.error();
  return allocation;
}

Result<void> CudaAllocation::allocate(uint64_t bytes, const std::string& label) {
  const auto& api = cuda_->api();
  cuda::CUmemAllocationProp prop{};
  prop.type = cuda::CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location = {cuda::CU_MEM_LOCATION_TYPE_DEVICE, cuda_->ordinal()};
  prop.requestedHandleTypes = cuda::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  size_t unit = 0;
  auto done = cuda_->check("cuMemGetAllocationGranularity", api.cuMemGetAllocationGranularity(&unit, &prop, 0));
  if (!done) return done;
  size_ = (bytes + unit - 1) / unit * unit;
  done = cuda_->check("cuMemCreate", api.cuMemCreate(&handle_, size_, &prop, 0));
  if (!done) return done;
  created_ = true;
  id_ = ledger_.acquire("CUDA", "allocation of " + label);
  done = cuda_->check("cuMemAddressReserve", api.cuMemAddressReserve(&pointer_, size_, 0, 0, 0));
  if (!done) return done;
  done = cuda_->check("cuMemMap", api.cuMemMap(pointer_, size_, 0, handle_, 0));
  if (!done) return done;
  mapped_ = true;
  const cuda::CUmemAccessDesc access{prop.location, cuda::CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  return cuda_->check("cuMemSetAccess", api.cuMemSetAccess(pointer_, size_, &access, 1));
}

Result<MemoryHandover> CudaAllocation::export_memory() {
  int fd = -1;
  const auto type = cuda::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  auto done =
      cuda_->check("cuMemExportToShareableHandle", cuda_->api().cuMemExportToShareableHandle(&fd, handle_, type, 0));
  if (!done) return done.error();
  MemoryHandover handover;
  handover.fd = UniqueFd(fd);
  handover.size = size_;
  handover.ledger = &ledger_;
  handover.fd_id = ledger_.fd_exported(id_);
  handover.exporter = id_;
  return handover;
}

void CudaAllocation::destroy() {
  const auto& api = cuda_->api();
  ledger_.release(id_);
  if (std::exchange(mapped_, false)) api.cuMemUnmap(pointer_, size_);     // before the range and the handle it joins
  if (pointer_) api.cuMemAddressFree(std::exchange(pointer_, 0), size_);  // only an unmapped range may be freed
  if (std::exchange(created_, false)) api.cuMemRelease(handle_);          // the last reference on this side
}

}  // namespace seamscope::interop
