/** The code that selects a device, compiled and run: against the stand-in drivers where they are built. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { DeviceParts } from '../../../../helper/protocol/device-parts';
import { cppSnippet, pythonSnippet, visibleDevicesLine } from '../../../../webview/src/devices/model/snippets';
import { cudaDevice, machines, nvmlGpu, vulkanDevice } from '../../extension/devices/snapshots';
import { compilerFlags, findLibrary, hasCommand, missing, root, run } from '../../snippets/tools';

vi.setConfig({ testTimeout: 120_000 });

const drivers = process.env.SEAMSCOPE_DOUBLES_DIR ?? path.join(root, 'build/native-tests/doubles/driver');
const vulkanDouble = path.join(drivers, 'libseamscope_vulkan.so.1');
const work = mkdtempSync(path.join(tmpdir(), 'seamscope-select-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** A machine of the recorded layouts: two instances, of which Vulkan lists the first. */
const fixture = path.join(root, 'test/fixtures/devices/graphics.json');
const uuids = ['bbbbbbbb-1111-5222-8333-000000000001', 'bbbbbbbb-1111-5222-8333-000000000002'];
const machine = path.join(work, 'machine.json');
const manifest = path.join(work, 'icd.json');
writeFileSync(machine, JSON.stringify(JSON.parse(readFileSync(fixture, 'utf8')).machine));
writeFileSync(manifest, JSON.stringify({ file_format_version: '1.0.0', ICD: { library_path: vulkanDouble, api_version: '1.3.280' } }));
const env = {
  SEAMSCOPE_DOUBLES: machine,
  LD_LIBRARY_PATH: drivers,
  VK_DRIVER_FILES: manifest,
  VK_ICD_FILENAMES: manifest,
  VK_LOADER_DISABLE_SELECT: '1',
};

const first: DeviceParts = { id: uuids[0]!, cuda: cudaDevice({ uuid: uuids[0]! }), vulkan: vulkanDevice({ deviceUuid: uuids[0]! }), reasons: [] };
const second: DeviceParts = { id: uuids[1]!, cuda: cudaDevice({ uuid: uuids[1]! }), reasons: [] };
const noDoubles = existsSync(vulkanDouble) ? '' : 'the stand-in drivers have not been built (npm test)';

/** What a CUDA toolkit declares of these functions. */
const cudaHeader = `#pragma once
extern "C" {
typedef int CUdevice;
typedef enum { CUDA_SUCCESS = 0 } CUresult;
typedef struct CUuuid_st { char bytes[16]; } CUuuid;
CUresult cuInit(unsigned int flags);
CUresult cuDeviceGetCount(int* count);
CUresult cuDeviceGet(CUdevice* device, int ordinal);
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device);
}
`;

async function compiled(name: string, headers: string, main: string, libraries: string[]): Promise<string> {
  const folder = path.join(work, name);
  mkdirSync(folder);
  if (missing(['cuda.h'])) writeFileSync(path.join(folder, 'cuda.h'), cudaHeader);
  writeFileSync(path.join(folder, 'device.hpp'), headers);
  writeFileSync(path.join(folder, 'main.cpp'), `#include "device.hpp"\n#include <cstdio>\nint main() {\n${main}\n}\n`);
  const program = path.join(folder, 'program');
  const { code, output } = await run('g++', [...compilerFlags, `-I${folder}`, path.join(folder, 'main.cpp'), '-o', program, ...libraries]);
  expect({ code, output }).toEqual({ code: 0, output: '' });
  return program;
}

const cudaMain = 'std::printf("cuda %d\\n", find_cuda_device());';
const vulkanMain = `VkApplicationInfo app{};
app.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
app.apiVersion = VK_API_VERSION_1_1;
VkInstanceCreateInfo info{};
info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
info.pApplicationInfo = &app;
VkInstance instance = VK_NULL_HANDLE;
if (vkCreateInstance(&info, nullptr, &instance) != VK_SUCCESS) return 1;
VkPhysicalDevice device = find_vulkan_device(instance);
VkPhysicalDeviceProperties properties{};
if (device) vkGetPhysicalDeviceProperties(device, &properties);
std::printf("vulkan %s\\n", properties.deviceName);
vkDestroyInstance(instance, nullptr);`;

describe('C++ that selects a device', () => {
  it('finds it in CUDA and in Vulkan, whatever its numbers are', async ({ skip }) => {
    const absent =
      noDoubles || (hasCommand('g++') ? missing(['vulkan/vulkan.h']) : 'no g++') || (findLibrary('libvulkan.so.1') ? '' : 'libvulkan.so.1 missing');
    if (absent) skip(absent);
    const libraries = [`-L${drivers}`, '-l:libcuda.so.1', `-L${findLibrary('libvulkan.so.1')}`, '-l:libvulkan.so.1'];
    const program = await compiled('both', cppSnippet(first)!, `${cudaMain}\n${vulkanMain}`, libraries);
    const vulkan = 'vulkan NVIDIA RTX PRO 6000 MIG 1g.24gb+gfx\n';
    expect(await run(program, [], { env })).toEqual({ code: 0, output: `cuda 0\n${vulkan}` });
    const swapped = { ...env, CUDA_VISIBLE_DEVICES: `MIG-${uuids[1]},MIG-${uuids[0]}` };
    expect(await run(program, [], { env: swapped })).toEqual({ code: 0, output: `cuda 1\n${vulkan}` });
    const hidden = { ...env, CUDA_VISIBLE_DEVICES: `MIG-${uuids[1]}` };
    expect(await run(program, [], { env: hidden })).toEqual({ code: 0, output: `cuda -1\n${vulkan}` });
  });

  it('compiles alone where only one of the two has the device', async ({ skip }) => {
    if (!hasCommand('g++')) skip('no g++');
    expect(cppSnippet(second)).not.toContain('vulkan');
    await compiled('cuda', cppSnippet(second)!, 'return sizeof(&find_cuda_device) == 0;', ['-fsyntax-only']);
    if (missing(['vulkan/vulkan.h'])) skip(missing(['vulkan/vulkan.h']));
    const { cuda: _, ...vulkanOnly } = first;
    expect(cppSnippet(vulkanOnly)).not.toContain('cuda.h');
    await compiled('vulkan', cppSnippet(vulkanOnly)!, 'return sizeof(&find_vulkan_device) == 0;', ['-fsyntax-only']);
  });

  it('lets no name of a driver out of its comment', () => {
    const named = { ...second, cuda: cudaDevice({ uuid: uuids[1]!, name: 'A\n#include "x"\\' }) };
    for (const text of [cppSnippet(named)!, pythonSnippet(named)!]) expect(text.split('\n')[0]).toMatch(/Selects A #include "x" {2}by its UUID\.$/);
  });
});

describe('Python that selects a device', () => {
  it("finds its ordinal in this process's environment", async ({ skip }) => {
    const absent = noDoubles || (hasCommand('python3') ? '' : 'no python3');
    if (absent) skip(absent);
    const script = path.join(work, 'device.py');
    writeFileSync(script, `${pythonSnippet(second)}\nprint(device_ordinal())\n`);
    expect(await run('python3', [script], { env })).toEqual({ code: 0, output: '1\n' });
    expect(await run('python3', [script], { env: { ...env, CUDA_VISIBLE_DEVICES: `MIG-${uuids[1]}` } })).toEqual({ code: 0, output: '0\n' });
    const hidden = await run('python3', [script], { env: { ...env, CUDA_VISIBLE_DEVICES: '0' } });
    expect(hidden.output).toContain(`CUDA does not list ${uuids[1]}`);
  });
});

describe('a line for the shell', () => {
  const [gpu] = machines.migWithoutGraphics.nvml.gpus;
  it.each<[string, DeviceParts, string | undefined]>([
    ['a GPU', { id: 'x', gpu: nvmlGpu(), reasons: [] }, 'CUDA_VISIBLE_DEVICES=GPU-11111111-2222-3333-4444-555555555555'],
    [
      'an instance',
      { id: 'x', gpu: gpu!, instance: gpu!.instances[0]!, reasons: [] },
      'CUDA_VISIBLE_DEVICES=MIG-aaaaaaaa-bbbb-5ccc-8ddd-eeeeeeeeeeee',
    ],
    ['a device of Vulkan alone', { id: 'x', vulkan: vulkanDevice(), reasons: [] }, undefined],
  ])('selects %s', (_, device, line) => {
    expect(visibleDevicesLine(device)).toBe(line);
  });

  it('comes without code for a GPU whose instances stand in its place', () => {
    expect([cppSnippet({ id: 'x', gpu: gpu!, reasons: [] }), pythonSnippet({ id: 'x', gpu: gpu!, reasons: [] })]).toEqual([undefined, undefined]);
  });
});
