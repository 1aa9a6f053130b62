#include "base/elf_file.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace seamscope {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
#error "unknown target"
#endif

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86_64";
    case EM_AARCH64:
      return "aarch64";
    case EM_386:
      return "i386";
    case EM_ARM:
      return "arm";
    case EM_PPC64:
      return "ppc64";
    default:
      return "ELF machine " + std::to_string(machine);
  }
}

template <typename T>
bool read_at(std::ifstream& file, uint64_t offset, T* values, size_t count) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(values), static_cast<std::streamsize>(count * sizeof(T))));
}

// The byte behind the last one that the headers promise. Offsets near 2^64 count as endless.
uint64_t promised_size(std::ifstream& file, const Elf64_Ehdr& header, uint64_t size) {
  const auto end = [](uint64_t offset, uint64_t bytes) {
    return offset > UINT64_MAX - bytes ? UINT64_MAX : offset + bytes;
  };
  const uint64_t table = end(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  uint64_t promised = std::max<uint64_t>(table, end(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize));
  if (table > size) return promised;
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!read_at(file, header.e_phoff, segments.data(), segments.size())) return promised;
  for (const auto& segment : segments)
    if (segment.p_type == PT_LOAD) promised = std::max(promised, end(segment.p_offset, segment.p_filesz));
  return promised;
}

}  // namespace

std::string elf_fault(const std::string& path) {
  std::error_code failed;
  const uint64_t size = std::filesystem::file_size(path, failed);
  std::ifstream file(path, std::ios::binary);
  if (failed || !file) return "cannot be read";
  if (size == 0) return "is empty";
  Elf64_Ehdr header{};
  const size_t bytes = std::min<uint64_t>(size, sizeof header);
  read_at(file, 0, reinterpret_cast<char*>(&header), bytes);
  if (bytes < SELFMAG || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "is not a library (it has no ELF header)";
  if (bytes < sizeof header) return "is cut off inside its ELF header (" + std::to_string(size) + " bytes)";
  if (header.e_machine != kMachine)
    return "is built for " + machine_name(header.e_machine) + ", this is " + machine_name(kMachine);
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return "is a 32-bit library";
  if (header.e_type != ET_DYN) return "is not a shared library";
  const uint64_t promised = promised_size(file, header, size);
  if (promised <= size) return "";
  return "is cut off: it has " + std::to_string(size) + " bytes, its headers name " + std::to_string(promised);
}

}  // namespace seamscope
