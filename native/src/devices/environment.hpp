#pragma once
// What the process environment says about which devices can be visible: variables, driver manifests, container, WSL,
// kernel driver.

#include <functional>
#include <optional>
#include <string>

#include "devices/types.hpp"

namespace seamscope {

// Where facts come from: the process itself, or a test's variables and folder.
struct EnvironmentSource {
  std::function<std::optional<std::string>(const std::string& name)> variable;
  std::string root;  // put in front of every absolute path; empty for the real system

  static EnvironmentSource process();
};

EnvironmentFacts read_environment(const EnvironmentSource& source);

// The version in the text of /proc/driver/nvidia/version, for example "580.159.04"; empty when there is none.
std::string kernel_driver_version(const std::string& text);

// The same of this machine.
std::string kernel_driver_version_here();

}  // namespace seamscope
