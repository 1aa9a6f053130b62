#pragma once

#include <cuda.h>

#include <cstdint>

#include "check_cuda.hpp"
#include "unique_fd.hpp"

// snippet: begin seam-cu-export-allocation | Inverted ownership: CUDA allocates (VMM) and exports, the renderer imports
// snippet: placeholders ExportableAllocation
class ExportableAllocation {
 public:
  // Rounds `bytes` up to the granularity; the importer must be told size(), not `bytes`.
  ExportableAllocation(int ordinal, size_t bytes) : ExportableAllocation() {
    CUmemAllocationProp prop{};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, ordinal};
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    size_t unit = 0;
    check(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
        "granularity");
    size_ = (bytes + unit - 1) / unit * unit;
    check(cuMemCreate(&handle_, size_, &prop, 0), "cuMemCreate");
    check(cuMemAddressReserve(&range_, size_, 0, 0, 0), "cuMemAddressReserve");
    check(cuMemMap(range_, size_, 0, handle_, 0), "cuMemMap");
    mapped_ = true;
    const CUmemAccessDesc access{prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    check(cuMemSetAccess(range_, size_, &access, 1), "cuMemSetAccess");
  }
  ExportableAllocation(const ExportableAllocation&) = delete;
  ExportableAllocation& operator=(const ExportableAllocation&) = delete;
  ~ExportableAllocation();  // see seam-cu-export-allocation-end

  UniqueFd export_fd() const;  // a new fd each call: once per import
  CUdeviceptr pointer() const { return range_; }
  size_t size() const { return size_; }

 private:
  ExportableAllocation() = default;
  CUmemGenericAllocationHandle handle_ = 0;
  CUdeviceptr range_ = 0;
  size_t size_ = 0;
  bool mapped_ = false;
};
// snippet: end

// snippet: begin seam-cu-export-allocation-end | Destructor and fd export of seam-cu-export-allocation
// snippet: placeholders ExportableAllocation
// The renderer that imported it must be gone, or re-pointed at fresh fds, and the streams idle:
// unmapping pulls the address range away from work that still uses it.
inline ExportableAllocation::~ExportableAllocation() {
  if (mapped_) cuMemUnmap(range_, size_);  // before the range and the handle it joins
  if (range_) cuMemAddressFree(range_, size_);  // only an unmapped range may be freed
  if (handle_) cuMemRelease(handle_);  // the last reference on this side
}

inline UniqueFd ExportableAllocation::export_fd() const {
  int fd = -1;
  constexpr auto posix_fd = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  check(cuMemExportToShareableHandle(&fd, handle_, posix_fd, 0), "cuMemExportToShareableHandle");
  return UniqueFd(fd);  // owned by the caller until vkAllocateMemory imports it
}
// snippet: end
