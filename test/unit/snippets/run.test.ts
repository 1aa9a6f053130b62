import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildProgram, checkProgram, findLibrary, hasCommand, missing, programs, run } from './tools';

const cases = [
  { name: 'host_only', what: 'fd ownership, double buffer, guards, teardown order', headers: [], libraries: [] },
  { name: 'dlpack', what: 'a view frees its description, never the pixels', headers: ['dlpack/dlpack.h'], libraries: [] },
  { name: 'driver_calls', what: 'driver API: fds, order', headers: ['cuda.h', 'dlpack/dlpack.h', 'vulkan/vulkan.h'], libraries: [] },
  { name: 'runtime_calls', what: 'runtime API: fds, order, skipped frames', headers: ['cuda_runtime_api.h'], libraries: [] },
  { name: 'vulkan_memory', what: 'export, transfer point, import, match', headers: ['vulkan/vulkan.h'], libraries: ['libvulkan.so.1'] },
  { name: 'vulkan_timeline', what: 'values both ways through two slots', headers: ['vulkan/vulkan.h'], libraries: ['libvulkan.so.1'] },
  {
    name: 'gl_thread',
    what: 'GL first, then on a thread of its own',
    headers: ['vulkan/vulkan.h', 'EGL/egl.h'],
    libraries: ['libEGL.so.1', 'libvulkan.so.1'],
  },
  {
    name: 'cuda_roundtrip',
    what: 'Vulkan and CUDA in both directions',
    headers: ['vulkan/vulkan.h', 'cuda.h'],
    libraries: ['libvulkan.so.1', 'libcuda.so.1'],
  },
];

/** What test/unit/snippets/programs/expect.hpp returns for "cannot run here". */
const skippedCode = 77;

const layer = '/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json';
const environment = {
  LSAN_OPTIONS: `suppressions=${path.join(programs, 'leaks.supp')}:print_suppressions=0`,
  // CUDA reserves address ranges that AddressSanitizer would otherwise claim.
  ASAN_OPTIONS: 'protect_shadow_gap=0',
  ...(existsSync(layer) && { VK_INSTANCE_LAYERS: 'VK_LAYER_KHRONOS_validation' }),
};

describe('snippets run under sanitizers and, where it is installed, the validation layer', () => {
  it.for(cases)('$name: $what', { timeout: 240_000 }, async ({ name, headers, libraries }, { skip }) => {
    const cannotCompile = hasCommand('g++') ? missing(headers) : 'no g++';
    if (cannotCompile) skip(cannotCompile);
    const absent = libraries.filter((library) => !findLibrary(library));
    if (absent.length > 0) {
      await checkProgram(name);
      skip(`compiles, but cannot be linked: ${absent.join(', ')} missing`);
    }
    const { code, output } = await run(await buildProgram(name, libraries), [], { env: environment, timeoutMs: 60_000 });
    if (code === skippedCode) skip(output.trim());
    expect({ code, output: output.replace(/^not run: .*\n/gm, '') }).toEqual({ code: 0, output: '' });
  });
});
