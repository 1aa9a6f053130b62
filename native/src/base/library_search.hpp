#pragma once
// Where the dynamic linker looks for a library, as far as a process can tell: to name the file that it refuses without
// a word, because it is of another architecture.

#include <string>
#include <vector>

namespace seamscope {

// Existing files of this name in the linker's order: LD_LIBRARY_PATH, the configured folders, the built-in ones. A name
// with a slash is the file itself.
std::vector<std::string> library_files(const std::string& name);

}  // namespace seamscope
