#include "devices/reason.hpp"

namespace seamscope {
namespace {

struct ReasonText {
  const char* name;
  const char* message;    // the cause; {N} are actual values
  const char* next_step;  // one sentence
};

// Every sentence about a missing device that a user can read.
constexpr ReasonText kTexts[] = {
    {"cpu-driver", "{0} is a Vulkan driver that runs on the CPU, so no CUDA device belongs to it.",
     "Nothing to do for a CPU driver; for a GPU, install its Vulkan driver."},
    {"not-nvidia", "{0} has PCI vendor {1}, not NVIDIA (0x10de), so no CUDA device belongs to it.",
     "Use an NVIDIA GPU for CUDA, or share this device's memory with Vulkan or OpenGL only."},
    {"other-driver-same-gpu", "{0} is driven by {1}, whose device UUID is not the one that CUDA reports.",
     "Select NVIDIA's own Vulkan driver, for example with VK_DRIVER_FILES set to its nvidia_icd.json."},
    {"vulkan-loader-missing", "The Vulkan loader libvulkan.so.1 cannot be opened.",
     "Install the Vulkan loader (Debian, Ubuntu: apt install libvulkan1; RHEL, Fedora: vulkan-loader)."},
    {"vulkan-no-icd", "The Vulkan loader finds no manifest of {0} ({1} manifests in all).",
     "Install the GPU's Vulkan driver, or point VK_DRIVER_FILES to its manifest (for NVIDIA nvidia_icd.json)."},
    {"vulkan-icd-rejected", "The Vulkan loader refused the driver of {0}.",
     "Install what the loader's message names; where that is a library of X and the driver is NVIDIA's, a manifest "
     "that "
     "names libEGL_nvidia.so.0 does without."},
    {"vulkan-enumeration-failed", "Vulkan could not list its devices: {0}.",
     "Run `vulkaninfo --summary` with VK_LOADER_DEBUG=error,warn to see which driver fails, then update that driver."},
    {"container-without-graphics",
     "This container was started with NVIDIA_DRIVER_CAPABILITIES={0}, which leaves out the graphics libraries.",
     "Start the container with NVIDIA_DRIVER_CAPABILITIES=all (or graphics,compute,utility)."},
    {"cuda-library-missing", "libcuda.so.1 cannot be opened: no NVIDIA driver is installed here.",
     "Install the NVIDIA driver; in a container, start it with --gpus all or the NVIDIA runtime."},
    {"cuda-stub-library", "{0} is the CUDA toolkit's stub library, not a driver.",
     "Take the toolkit's lib64/stubs folder out of LD_LIBRARY_PATH and install the NVIDIA driver."},
    {"cuda-no-device", "The CUDA driver is installed but reports no device.",
     "Check that `nvidia-smi` lists a GPU; in a container, start it with --gpus all."},
    {"cuda-driver-mismatch",
     "The NVIDIA kernel module ({0}) and the user library ({1}) are not of the same driver version.",
     "Reboot, or unload and reload the NVIDIA kernel modules, so that both come from one driver."},
    {"cuda-system-not-ready", "The CUDA driver says that the system is not ready.",
     "On NVSwitch systems start the fabric manager (systemctl start nvidia-fabricmanager), then try again."},
    {"cuda-compat-unsupported", "CUDA forward compatibility is not supported on this GPU ({0}).",
     "Take the cuda-compat folder out of LD_LIBRARY_PATH so that the installed driver's libcuda.so.1 is used."},
    {"cuda-mps-failed", "The CUDA MPS service refused this process.",
     "Restart MPS (nvidia-cuda-mps-control) or unset CUDA_MPS_PIPE_DIRECTORY."},
    {"cuda-init-failed", "cuInit failed with {0}.",
     "Look up this error in the CUDA driver API's documentation, and check `nvidia-smi` and `dmesg`."},
    {"cuda-call-failed", "CUDA could not answer {0}: {1}.",
     "Compare with `nvidia-smi -q`, and check `dmesg` for Xid errors."},
    {"cuda-too-old-for-uuid-v2",
     "The driver ({0}) has no cuDeviceGetUuid_v2, so CUDA devices cannot be told apart honestly.",
     "Update the NVIDIA driver to one for CUDA 11.4 or newer (470.42.01)."},
    {"nvml-library-missing", "libnvidia-ml.so.1 cannot be opened: the NVIDIA driver's management library is absent.",
     "Install the NVIDIA driver; in a container, add utility to NVIDIA_DRIVER_CAPABILITIES."},
    {"nvml-init-failed", "NVML could not start: {0}.",
     "Check that `nvidia-smi` works and that the NVIDIA kernel module is loaded."},
    {"nvml-driver-mismatch", "NVML refuses to work: the NVIDIA kernel module ({0}) and the user library ({1}) differ.",
     "Reboot, or unload and reload the NVIDIA kernel modules, so that both come from one driver."},
    {"nvml-no-permission", "NVML denies {0} to this user.",
     "Ask the administrator for access, or run in a container that was given this GPU."},
    {"nvml-call-failed", "NVML could not answer {0}: {1}.",
     "Compare with `nvidia-smi -q`, and check `dmesg` for Xid errors."},
    {"hidden-by-cuda-visible-devices", "CUDA_VISIBLE_DEVICES={0} hides this device: {1}.",
     "Change or unset CUDA_VISIBLE_DEVICES in the environment that the program starts from."},
    {"hidden-by-loader-filter", "{0}={1} limits which Vulkan drivers and devices the loader shows.",
     "Unset {0}, or add the missing driver to it."},
    {"device-node-no-permission", "This user may not open {0}.",
     "Add the user to the group that owns the device nodes (often video or render), or map them into the container."},
    {"mig-without-graphics", "The MIG instance {0} has no graphics capability, so Vulkan cannot use it.",
     "Use a profile that ends in +gfx where the GPU has one, or show frames through host memory."},
    {"mig-without-compute-instance", "MIG mode is on for {0}, but it has no compute instance.",
     "Create one (nvidia-smi mig -cgi PROFILE -C) or switch MIG mode off."},
    {"mig-one-instance-limit", "Driver {0} shows a process one MIG instance only, and another one was chosen.",
     "Set CUDA_VISIBLE_DEVICES to the instance's UUID, or update the driver to R570 or newer."},
    {"gpu-lost", "{0} is lost or needs a reset: the driver no longer reaches it.",
     "Check `dmesg` for Xid errors and reset the GPU (nvidia-smi --gpu-reset) or reboot."},
    {"tegra", "This is a Tegra system ({0}), where NVML does not list the integrated GPU.",
     "Nothing to do: CUDA and Vulkan work here without NVML."},
    {"wsl", "WSL passes the GPU through Direct3D: NVIDIA's Vulkan driver does not exist there.",
     "Use CUDA with host copies on WSL, or run natively on Linux or Windows for Vulkan interop."},
    {"driver-library-damaged", "The driver library {0}.",
     "Reinstall {1}, or take the folder of this file out of LD_LIBRARY_PATH."},
    {"addon-missing", "The native part of Seamscope could not be loaded.",
     "Reinstall the extension for this platform."},
    {"probe-failed", "The process that asks the drivers ended without an answer.",
     "Try again, and check the drivers with `nvidia-smi` and `vulkaninfo --summary`."},
    {"driver-hangs", "The driver call {0} never returned.",
     "Check that `nvidia-smi` answers and `dmesg` for Xid errors; a reboot may be needed."},
    {"no-partner", "No {0} device has this UUID ({1}).",
     "Compare `seamscope devices --json` with the environment that the program runs in."},
};
static_assert(sizeof(kTexts) / sizeof(kTexts[0]) == kReasonCodes, "every code has a text");

// One pass, so that a value which looks like a placeholder stays as it is.
std::string filled(const std::string& text, std::initializer_list<std::string> values) {
  std::string result;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool mark = text[at] == '{' && at + 2 < text.size() && text[at + 2] == '}';
    const size_t index = mark ? static_cast<size_t>(text[at + 1] - '0') : values.size();
    if (index < values.size()) {
      result += values.begin()[index];
      at += 2;
    } else {
      result += text[at];
    }
  }
  return result;
}

}  // namespace

const char* reason_name(ReasonCode code) {
  return kTexts[static_cast<int>(code)].name;
}

Reason make_reason(ReasonCode code, std::initializer_list<std::string> values, std::string detail) {
  const ReasonText& text = kTexts[static_cast<int>(code)];
  return {code, filled(text.message, values), filled(text.next_step, values), std::move(detail)};
}

Reason library_reason(ReasonCode absent, const Error& error) {
  if (!error.damaged) return make_reason(absent, {}, error.detail);
  const std::string owner = absent == ReasonCode::VulkanLoaderMissing
                                ? "the Vulkan loader (Debian, Ubuntu: apt install --reinstall libvulkan1)"
                                : "the NVIDIA driver";
  std::string what = error.message;
  if (!what.empty() && what.back() == '.') what.pop_back();
  return make_reason(ReasonCode::DriverLibraryDamaged, {what, owner}, error.detail);
}

}  // namespace seamscope
