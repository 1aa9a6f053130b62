#include "frames/sealed_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace seamscope::frames {
namespace {

constexpr int kNeeded = F_SEAL_SHRINK | F_SEAL_GROW;

Error unfit(const std::string& what) {
  return Error{"The publisher's memory " + what + ".", "Add the publisher of this Seamscope to the project again.", ""};
}

Result<uint64_t> checked_size(int fd, uint64_t least_bytes) {
  const int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0) return unfit("is no memfd");
  if ((seals & kNeeded) != kNeeded) return unfit("is not sealed against shrinking and growing");
  struct stat status {};
  if (fstat(fd, &status) != 0) return unfit(std::string("cannot be examined: ") + std::strerror(errno));
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size < least_bytes || size == 0)
    return unfit("has " + std::to_string(size) + " bytes, and " + std::to_string(least_bytes) + " were announced");
  return size;
}

}  // namespace

Result<SealedMemory> SealedMemory::map(UniqueFd fd, uint64_t least_bytes, bool writable) {
  const auto size = checked_size(fd.get(), least_bytes);
  if (!size) return size.error();
  const int access = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void* address = mmap(nullptr, *size, access, MAP_SHARED, fd.get(), 0);
  if (address == MAP_FAILED) return unfit(std::string("cannot be mapped: ") + std::strerror(errno));
  SealedMemory memory;
  memory.data_ = static_cast<std::byte*>(address);
  memory.size_ = *size;
  return memory;
}

SealedMemory& SealedMemory::operator=(SealedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SealedMemory::~SealedMemory() {
  if (data_) munmap(data_, size_);
}

}  // namespace seamscope::frames
