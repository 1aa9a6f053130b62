import ctypes
import uuid


# snippet: begin seam-device-uuid | The MIG-aware UUID of a CUDA ordinal, to compare with Vulkan's deviceUUID
# snippet: placeholders cuda_device_uuid
def cuda_device_uuid(ordinal: int) -> uuid.UUID:
    """`ordinal` counts what CUDA_VISIBLE_DEVICES leaves visible, as tensor.device.device_id does.

    Compare .bytes with VkPhysicalDeviceIDProperties::deviceUUID. The _v2 symbol names the MIG
    instance itself; cudaDeviceProp::uuid, the legacy query and PCI identity can name its parent.
    """
    cuda = ctypes.CDLL("libcuda.so.1")
    device, raw = ctypes.c_int(), (ctypes.c_ubyte * 16)()
    for name, arguments in (
        ("cuInit", (0,)),
        ("cuDeviceGet", (ctypes.byref(device), ordinal)),
        ("cuDeviceGetUuid_v2", (raw, device)),
    ):
        result = getattr(cuda, name)(*arguments)
        if result != 0:
            raise RuntimeError(f"{name} failed with CUDA error {result} for ordinal {ordinal}")
    return uuid.UUID(bytes=bytes(raw))
# snippet: end


# snippet: begin seam-validate-output-device | Check the first mapped output against the configured CUDA ordinal
# snippet: placeholders require_configured_device
def require_configured_device(tensor, configured_ordinal: int) -> None:
    """One ordinal serves the renderer's GPU filter, deviceIds, CUDA and the Vulkan match."""
    actual = tensor.device.device_id
    if actual != configured_ordinal:
        raise RuntimeError(
            f"the output is on CUDA ordinal {actual}, but {configured_ordinal} is configured: "
            "set the product's deviceIds and the renderer's GPU filter to the same ordinal"
        )
# snippet: end
