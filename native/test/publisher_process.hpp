#pragma once
// An example of native/publisher/examples in a process of its own, with the stand-in CUDA driver unless a real one is
// here.

#include <sys/types.h>

#include <string>
#include <vector>

namespace seamscope::test {

// A program beside the test executable in examples/; empty when it was not built.
std::string example_path(const std::string& name);

class ExampleProcess {
 public:
  // `variables` are added to the environment: "NAME=value".
  ExampleProcess(const std::string& name, const std::vector<std::string>& arguments,
                 const std::vector<std::string>& variables);
  ~ExampleProcess();
  ExampleProcess(const ExampleProcess&) = delete;
  ExampleProcess& operator=(const ExampleProcess&) = delete;

  pid_t pid() const { return pid_; }
  // The exit code, or -1: still running after that time, or ended by a signal.
  int wait(int timeout_ms);
  void signal(int number) const;
  // What it has written so far to stdout and stderr.
  std::string words() const;
  // Open file descriptors, by the kernel's list.
  size_t fd_count() const;

 private:
  pid_t pid_ = -1;
  std::string log_, machine_;
};

}  // namespace seamscope::test
