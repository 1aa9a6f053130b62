import type { DeviceSnapshot, NvmlGpu, Reason, VulkanDevice } from '../../../helper/protocol/devices';

const UUID = '3a1b2c4d-0000-1111-2222-333344445555';

export const reason = (code: Reason['code'], message: string, nextStep = 'Do this.'): Reason => ({ code, message, nextStep });

export const vulkanDevice: VulkanDevice = {
  index: 0,
  name: 'NVIDIA H200',
  type: 'discrete',
  vendorId: 0x10de,
  deviceId: 1,
  deviceUuid: UUID,
  driverUuid: UUID,
  driverId: 'NVIDIA_PROPRIETARY',
  driverName: 'NVIDIA',
  driverInfo: '580.159.04',
  apiVersion: '1.4.312',
  memoryBytes: 150_000_000_000,
  queueFamilies: [],
  externalMemory: [
    { handleType: 'opaqueFd', exportable: true, importable: true },
    { handleType: 'dmaBuf', exportable: false, importable: true },
  ],
  externalSemaphore: { binary: [], timeline: [{ handleType: 'opaqueFd', exportable: true, importable: true }] },
  timelineSemaphore: true,
  maxStorageBufferRange: 4294967295,
};

export const gpu: NvmlGpu = {
  index: 0,
  name: 'NVIDIA H200',
  uuid: UUID,
  pci: '0000:19:00.0',
  memoryBytes: 150 * 2 ** 30,
  memoryUsedBytes: 2 ** 30,
  utilizationPercent: 7,
  temperatureC: 41,
  powerWatts: 76.4,
  mig: { supported: true, current: false, pending: true },
  instances: [],
  problems: [],
};

/** One H200, matched. */
export const matched: DeviceSnapshot = {
  version: 1,
  takenAt: '2026-01-01T00:00:00.000Z',
  environment: {
    variables: { CUDA_VISIBLE_DEVICES: '0' },
    container: true,
    wsl: false,
    icdFiles: [{ path: '/etc/vulkan/icd.d/nvidia_icd.json', library: 'libGLX_nvidia.so.0' }],
  },
  libraries: [{ name: 'libcuda.so.1', path: '/usr/lib/libcuda.so.580.159.04', version: '580.159.04' }],
  vulkan: { available: true, instanceVersion: '1.4.312', devices: [vulkanDevice] },
  cuda: {
    available: true,
    driverVersion: '13.0',
    devices: [{ ordinal: 0, name: 'NVIDIA H200', uuid: UUID, computeCapability: '9.0', memoryBytes: 150 * 2 ** 30, attributes: {} }],
  },
  nvml: { available: true, driverVersion: '580.159.04', gpus: [gpu] },
  matches: [{ uuid: UUID, cudaOrdinal: 0, vulkanIndex: 0, gpuIndex: 0, status: 'matched', reasons: [] }],
};

/** A machine with a CPU driver and nothing of NVIDIA's. */
export const cpuOnly: DeviceSnapshot = {
  ...matched,
  environment: { variables: {}, container: false, wsl: false, icdFiles: [] },
  libraries: [{ name: 'libcuda.so.1', error: 'libcuda.so.1: cannot open shared object file: No such file or directory' }],
  vulkan: { available: true, instanceVersion: '1.3.239', devices: [{ ...vulkanDevice, name: 'llvmpipe', type: 'cpu', driverInfo: 'Mesa 22.3.6' }] },
  cuda: { available: false, devices: [], reason: reason('cuda-library-missing', 'libcuda.so.1 cannot be opened.', 'Install the driver.') },
  nvml: { available: false, gpus: [], reason: reason('nvml-library-missing', 'libnvidia-ml.so.1 cannot be opened.') },
  matches: [{ vulkanIndex: 0, status: 'vulkan-only', reasons: [reason('cpu-driver', 'llvmpipe runs on the CPU.', 'Nothing to do.')] }],
};
