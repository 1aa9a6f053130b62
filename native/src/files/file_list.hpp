#pragma once
// Which file of a pattern is the newest, and the contents of one.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace seamscope::files {

struct FileStamp {
  std::string path;
  int64_t modified_ns = 0;
  uint64_t size = 0;
  bool operator==(const FileStamp&) const = default;
};

// A folder (every image in it), or a path whose last part may hold * and ?.
class FilePattern {
 public:
  explicit FilePattern(const std::string& pattern);

  // The file that was modified last; of several with one time stamp the last one in the order of numbers and letters.
  // Nothing when no file matches. Error when the folder cannot be read.
  Result<std::optional<FileStamp>> newest() const;
  // All files that match, in the order in which newest() would prefer them.
  Result<std::vector<FileStamp>> all() const;

  bool matches(const std::string& name) const;

 private:
  Result<std::vector<FileStamp>> matching() const;

  std::string folder_, name_;  // name_ empty: every image
};

// Error when the file cannot be read, is no regular file, or is larger than kMostBytes.
Result<std::vector<std::byte>> read_file(const std::string& path);

}  // namespace seamscope::files
