#pragma once
// Why a file cannot be a shared library for this process, told from its headers alone: mapping a file that is cut off
// ends in SIGBUS.

#include <string>

namespace seamscope {

// The rest of a sentence after the file's name ("is cut off: ..."), or "" when the headers are in order.
std::string elf_fault(const std::string& path);

}  // namespace seamscope
