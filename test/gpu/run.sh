#!/bin/sh
# Unpacks the bundle beside this file and runs everything on the GPU of this machine. Needs nothing but tar, gzip and the NVIDIA driver.
#   sh run.sh [SCRIPT ARGUMENTS...]     one script of the bundle instead, for example: sh run.sh gpu/renderer_cost.mjs --rounds 20
set -eu
here=$(cd "$(dirname "$0")" && pwd)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT INT TERM
tar -xzf "$here/bundle.tar.gz" -C "$home"

has_library() { ldconfig -p 2>/dev/null | grep -q "$1"; }
add_libraries() { LD_LIBRARY_PATH="$1${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"; export LD_LIBRARY_PATH; }

for library in 'libvulkan\.so\.1' 'libGLdispatch\.so\.0' 'libEGL\.so\.1'; do
  if ! has_library "$library"; then
    add_libraries "$home/loader"
    break
  fi
done
for folder in /usr/local/nvidia/lib64 /usr/local/nvidia/lib; do
  if [ -e "$folder/libcuda.so.1" ] && ! has_library 'libcuda\.so\.1'; then add_libraries "$folder"; fi
done

# The loader looks in the first two by itself.
if [ -z "${VK_DRIVER_FILES:-}" ]; then
  for folder in /etc/vulkan/icd.d /usr/share/vulkan/icd.d /usr/local/nvidia/share/vulkan/icd.d /usr/local/share/vulkan/icd.d; do
    if [ -e "$folder/nvidia_icd.json" ]; then
      VK_DRIVER_FILES="$folder/nvidia_icd.json"
      VK_ICD_FILENAMES="$VK_DRIVER_FILES"
      export VK_DRIVER_FILES VK_ICD_FILENAMES
      break
    fi
  done
fi
echo "Vulkan driver: ${VK_DRIVER_FILES:-whatever the loader finds}"
cd "$home"
SEAMSCOPE_DIST="$home/dist"
export SEAMSCOPE_DIST
[ $# -gt 0 ] || set -- gpu/run.mjs
"$home/node" "$@"
