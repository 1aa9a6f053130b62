/** Snapshots as the native side writes them, for machines that are not at hand. */
import type { CudaDevice, DeviceSnapshot, NvmlGpu, Reason, ReasonCode, VulkanDevice } from '../../../../helper/protocol/devices';

const gpuUuid = '11111111-2222-3333-4444-555555555555';
const migUuid = 'aaaaaaaa-bbbb-5ccc-8ddd-eeeeeeeeeeee';

export function reason(code: ReasonCode, detail?: string): Reason {
  return { code, message: `Cause of ${code}.`, nextStep: `Step for ${code}.`, ...(detail && { detail }) };
}

export function vulkanDevice(values: Partial<VulkanDevice> = {}): VulkanDevice {
  return {
    index: 0,
    name: 'NVIDIA H200',
    type: 'discrete',
    vendorId: 0x10de,
    deviceId: 0x2335,
    deviceUuid: gpuUuid,
    driverUuid: 'dddddddd-0000-0000-0000-000000000000',
    driverId: 'NVIDIA_PROPRIETARY',
    driverName: 'NVIDIA',
    driverInfo: '570.86.15',
    apiVersion: '1.4.303',
    memoryBytes: 150_000_000_000,
    queueFamilies: [],
    externalMemory: [
      { handleType: 'opaqueFd', exportable: true, importable: true },
      { handleType: 'opaqueWin32', exportable: false, importable: false },
    ],
    externalSemaphore: { binary: [], timeline: [{ handleType: 'opaqueFd', exportable: true, importable: true }] },
    timelineSemaphore: true,
    maxStorageBufferRange: 2 ** 32 - 1,
    ...values,
  };
}

export const lavapipe = vulkanDevice({
  name: 'llvmpipe (LLVM 15.0.6, 256 bits)',
  type: 'cpu',
  vendorId: 0x10005,
  deviceUuid: '6d657361-3232-2e33-2e36-000000000000',
  driverName: 'llvmpipe',
});

export function cudaDevice(values: Partial<CudaDevice> = {}): CudaDevice {
  return { ordinal: 0, name: 'NVIDIA H200', uuid: gpuUuid, computeCapability: '9.0', memoryBytes: 150_000_000_000, attributes: {}, ...values };
}

export function nvmlGpu(values: Partial<NvmlGpu> = {}): NvmlGpu {
  return {
    index: 0,
    name: 'NVIDIA H200',
    uuid: gpuUuid,
    pci: '00000000:01:00.0',
    memoryBytes: 150_000_000_000,
    memoryUsedBytes: 1_500_000_000,
    utilizationPercent: 7,
    temperatureC: 33,
    powerWatts: 80.4,
    mig: { supported: true, current: false, pending: false },
    instances: [],
    problems: [],
    ...values,
  };
}

export function snapshot(values: Partial<DeviceSnapshot> = {}): DeviceSnapshot {
  return {
    version: 1,
    takenAt: '2026-11-01T00:00:00Z',
    environment: { variables: {}, container: false, wsl: false, icdFiles: [] },
    libraries: [],
    vulkan: { available: true, devices: [] },
    cuda: { available: true, devices: [] },
    nvml: { available: true, gpus: [] },
    matches: [],
    ...values,
  };
}

const noCuda = { available: false, reason: reason('cuda-library-missing'), devices: [] };
const noNvml = { available: false, reason: reason('nvml-library-missing'), gpus: [] };

export const machines = {
  lavapipe: snapshot({
    vulkan: { available: true, devices: [lavapipe] },
    cuda: noCuda,
    nvml: noNvml,
    matches: [{ uuid: lavapipe.deviceUuid, vulkanIndex: 0, status: 'vulkan-only', reasons: [reason('cpu-driver')] }],
    libraries: [
      { name: 'libvulkan.so.1', path: '/usr/lib/libvulkan.so.1', version: '1.3.239' },
      { name: 'libcuda.so.1', error: 'cannot open shared object file' },
    ],
    environment: {
      variables: { CUDA_VISIBLE_DEVICES: '0' },
      container: true,
      wsl: false,
      icdFiles: [{ path: '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json', library: 'libvulkan_lvp.so' }],
    },
  }),
  h200: snapshot({
    vulkan: { available: true, devices: [vulkanDevice()] },
    cuda: { available: true, devices: [cudaDevice()] },
    nvml: { available: true, gpus: [nvmlGpu()] },
    matches: [{ uuid: gpuUuid, cudaOrdinal: 0, vulkanIndex: 0, gpuIndex: 0, status: 'matched', reasons: [] }],
  }),
  migWithoutGraphics: snapshot({
    cuda: { available: true, devices: [cudaDevice({ uuid: migUuid, name: 'NVIDIA H200 MIG 1g.18gb' })] },
    nvml: {
      available: true,
      gpus: [
        nvmlGpu({
          mig: { supported: true, current: true, pending: true },
          instances: [
            {
              index: 2,
              uuid: migUuid,
              nvmlUuid: `MIG-${migUuid}`,
              name: 'NVIDIA H200 MIG 1g.18gb',
              gpuInstanceId: 9,
              computeInstanceId: 0,
              memoryBytes: 18 * 2 ** 30,
              memoryUsedBytes: 2 ** 29,
              smCount: 16,
              graphics: false,
            },
          ],
        }),
      ],
    },
    matches: [{ uuid: migUuid, cudaOrdinal: 0, gpuIndex: 0, migIndex: 2, status: 'cuda-only', reasons: [reason('mig-without-graphics')] }],
  }),
  cudaWithoutNvml: snapshot({
    cuda: { available: true, devices: [cudaDevice()] },
    vulkan: { available: false, reason: reason('container-without-graphics'), devices: [] },
    nvml: { available: false, reason: reason('nvml-driver-mismatch'), gpus: [] },
    matches: [{ uuid: gpuUuid, cudaOrdinal: 0, status: 'cuda-only', reasons: [reason('container-without-graphics')] }],
  }),
  noIcd: snapshot({
    vulkan: { available: false, reason: reason('vulkan-no-icd', 'ERROR_INCOMPATIBLE_DRIVER'), devices: [] },
    cuda: noCuda,
    nvml: noNvml,
  }),
  noDriver: snapshot({ vulkan: { available: false, reason: reason('vulkan-loader-missing'), devices: [] }, cuda: noCuda, nvml: noNvml }),
  noGpu: snapshot(),
  noAddon: snapshot({
    vulkan: { available: false, reason: reason('addon-missing'), devices: [] },
    cuda: { available: false, reason: reason('addon-missing'), devices: [] },
    nvml: { available: false, reason: reason('addon-missing'), gpus: [] },
  }),
};
