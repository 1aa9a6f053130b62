import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checks } from '../../../helper/engine/doctor/checks';
import { diagnose } from '../../../helper/engine/doctor/doctor';
import { readSystemFacts } from '../../../helper/engine/doctor/system-facts';
import type { DeviceSnapshot, ReasonCode } from '../../../helper/protocol/devices';
import type { DoctorCheckId } from '../../../helper/protocol/doctor';
import { gpu, matched, reason } from '../cli/fixtures';
import { type Change, factsWith, sound } from './doctor-facts';

const { environment, vulkan, cuda, nvml } = sound;
const absent = (code: ReasonCode, detail?: string) => ({
  available: false,
  devices: [],
  reason: { ...reason(code, 'It does not work.'), ...(detail ? { detail } : {}) },
});
const unmatched = (code: ReasonCode, status: 'cuda-only' | 'physical-only'): Partial<DeviceSnapshot> => ({
  matches: [{ cudaOrdinal: 0, gpuIndex: 0, status, reasons: [reason(code, 'That is why.')] }],
});
const icd = (problem: string) => ({
  environment: { ...environment, icdFiles: [{ path: '/icd/nvidia_icd.json', library: 'libGLX_nvidia.so.0', problem }] },
});
const device = (extra: object) => ({ cuda: { ...cuda, devices: [{ ...cuda.devices[0]!, ...extra }] } });

/** What is broken, the check that must name it, and what its words must hold. */
const causes: [string, Change, DoctorCheckId, RegExp][] = [
  [
    '1 container without graphics',
    { snapshot: { environment: { ...environment, container: true } }, env: { NVIDIA_DRIVER_CAPABILITIES: 'compute,utility' } },
    'container-without-graphics',
    /"compute,utility".*docker run .*graphics/s,
  ],
  ['2 no manifest of NVIDIA', { snapshot: { environment: { ...environment, icdFiles: [] } } }, 'icd-missing', /None of the 0.*nvidia_icd\.json/s],
  ['2 manifest is no JSON', { snapshot: icd('The manifest is not valid JSON.') }, 'icd-missing', /not valid JSON/],
  [
    '3 libXext is missing',
    { snapshot: icd('Failed loading library. libXext.so.6: cannot open shared object file: No such file or directory') },
    'icd-library',
    /libXext\.so\.6 is missing.*apt install libxext6.*libEGL_nvidia/s,
  ],
  [
    '4 no entry point on a headless machine',
    { snapshot: icd("Could not get 'vkCreateInstance' via 'vk_icdGetInstanceProcAddr'") },
    'icd-entry-point',
    /needs a display.*libnvidia-gl/s,
  ],
  [
    '5 libraries upgraded under the module',
    { snapshot: { libraries: [{ name: 'libcuda.so.1', path: '/usr/lib/libcuda.so.590.44', version: '590.44' }] } },
    'driver-mismatch',
    /580\.159\.04.*590\.44.*reboot/s,
  ],
  ['5 mismatch told by NVML', { snapshot: { nvml: { ...nvml, ...absent('nvml-driver-mismatch'), gpus: [] } } }, 'driver-mismatch', /modprobe/],
  [
    '6 only llvmpipe',
    { snapshot: { vulkan: { ...vulkan, devices: [{ ...vulkan.devices[0]!, type: 'cpu', name: 'llvmpipe' }] } } },
    'cpu-driver-only',
    /only llvmpipe.*never matched/s,
  ],
  [
    '7 Vulkan sees more than CUDA',
    { snapshot: unmatched('hidden-by-cuda-visible-devices', 'physical-only'), env: { CUDA_VISIBLE_DEVICES: '' } },
    'hidden-from-cuda',
    /Not visible to CUDA.*unset/s,
  ],
  ['8 MIG without graphics', { snapshot: unmatched('mig-without-graphics', 'cuda-only') }, 'cuda-without-vulkan', /1 of 1.*That is why/s],
  [
    '9 a subset of GPUs',
    {
      snapshot: { vulkan: absent('vulkan-enumeration-failed', 'VK_ERROR_INITIALIZATION_FAILED') },
      system: { kernelGpus: ['0000:19:00.0', '0000:3b:00.0'] },
    },
    'partial-gpus',
    /1 of 2.*INITIALIZATION_FAILED.*--gpus all/s,
  ],
  ['10 connections of CUDA', {}, 'max-connections', /export CUDA_DEVICE_MAX_CONNECTIONS=1/],
  [
    '11 old validation layers',
    { system: { layers: [{ path: '/l.json', apiVersion: '1.3.239' }] } },
    'validation-layers',
    /1\.3\.239.*VK_ADD_LAYER_PATH/s,
  ],
  ['an interposer', { env: { LD_PRELOAD: '/opt/libvgpu.so' } }, 'preload', /HAMi.*env -u LD_PRELOAD/s],
  ['an interposer for all', { system: { preloadFile: ['/usr/lib/libnvshare.so'] } }, 'preload', /nvshare.*ld\.so\.preload\.off/s],
  ['few descriptors', { system: { descriptors: { soft: 256, hard: 4096 } } }, 'descriptor-limit', /256.*ulimit -n 4096/s],
  [
    'few descriptors for MIG',
    { snapshot: { nvml: { ...nvml, gpus: [{ ...gpu, instances: [{} as never, {} as never] }] } } },
    'descriptor-limit',
    /1024.*ulimit -n 65536/s,
  ],
  ['WSL', { snapshot: { environment: { ...environment, wsl: true } } }, 'wsl', /Direct3D/],
  [
    'no uvm node',
    {
      system: {
        nodes: [
          { path: '/dev/nvidia0', usable: true },
          { path: '/dev/nvidiactl', usable: true },
        ],
      },
    },
    'device-nodes',
    /nvidia-uvm does not exist.*nvidia-modprobe/s,
  ],
  [
    'a forbidden node',
    { system: { nodes: ['/dev/nvidia0', '/dev/nvidiactl', '/dev/nvidia-uvm'].map((each) => ({ path: each, usable: false })) } },
    'device-nodes',
    /usermod -aG/,
  ],
  [
    'no node of an instance',
    { system: { migNodes: [{ capability: 'gpu0/gi9/ci0', node: '/dev/nvidia-caps/nvidia-cap84', state: 'missing' }] } },
    'mig-nodes',
    /nvidia-cap84.*nvidia-modprobe -f \/proc\/driver\/nvidia\/capabilities\/gpu0\/mig\/gi9\/ci0\/access/s,
  ],
  [
    'exclusive mode by NVML',
    { snapshot: { nvml: { ...nvml, gpus: [{ ...gpu, computeMode: 'exclusive-process' }] } } },
    'compute-mode',
    /exclusive-process.*-c DEFAULT/s,
  ],
  [
    'exclusive mode by CUDA',
    { snapshot: { ...device({ attributes: { computeMode: 2 } }), nvml: { ...nvml, gpus: [] } } },
    'compute-mode',
    /prohibited/,
  ],
  ['a loader filter', { env: { VK_DRIVER_FILES: '/x.json' } }, 'loader-filter', /VK_DRIVER_FILES.*unset VK_DRIVER_FILES/s],
  [
    'an empty list of driver files',
    { env: { VK_DRIVER_FILES: '' }, snapshot: { vulkan: absent('hidden-by-loader-filter') } },
    'loader-filter',
    /VK_DRIVER_FILES is set to nothing.*unset VK_DRIVER_FILES/s,
  ],
  ['no Vulkan device, whatever the cause', { snapshot: { vulkan: absent('vulkan-icd-rejected') } }, 'cpu-driver-only', /It does not work/],
  [
    'a broken library earlier on the path',
    { snapshot: { libraries: [{ name: 'libvulkan.so.1', path: '/usr/lib/libvulkan.so.1', passedOver: '/opt/libvulkan.so.1 is no library' }] } },
    'libraries',
    /\/usr\/lib\/libvulkan\.so\.1 was opened because .*\/opt\/libvulkan\.so\.1 is no library.*LD_LIBRARY_PATH/s,
  ],
  [
    'a driver that does not fit',
    { snapshot: icd('/usr/lib/libvulkan_x.so: undefined symbol: wl_proxy_y') },
    'icd-library',
    /libvulkan_x\.so was refused: it needs the symbol wl_proxy_y/,
  ],
  ['MPS refuses', { snapshot: { cuda: absent('cuda-mps-failed') } }, 'cuda-init', /nvidia-cuda-mps-control/],
  [
    'no permission for NVML',
    { snapshot: { nvml: { ...nvml, gpus: [{ ...gpu, problems: [reason('nvml-no-permission', 'Denied.')] }] } } },
    'nvml',
    /Denied/,
  ],
  ['a lost GPU', { snapshot: { nvml: { ...nvml, gpus: [{ ...gpu, problems: [reason('gpu-lost', 'It is lost.')] }] } } }, 'gpu-health', /gpu-reset/],
  [
    'memory errors',
    { snapshot: { nvml: { ...nvml, gpus: [{ ...gpu, health: { clocks: {}, maxClocks: {}, ecc: { enabled: true, uncorrectedErrors: 3 } } }] } } },
    'gpu-health',
    /3 memory errors/,
  ],
  [
    'heat',
    { snapshot: { nvml: { ...nvml, gpus: [{ ...gpu, health: { clocks: {}, maxClocks: {}, clockLimits: ['hardware-thermal'] } }] } } },
    'gpu-health',
    /hardware-thermal/,
  ],
  ['an entry that names nothing', { env: { CUDA_VISIBLE_DEVICES: '0,9' } }, 'visible-devices', /"9".*export CUDA_VISIBLE_DEVICES=0/s],
  [
    'the UUID of the whole GPU',
    { snapshot: device({ legacyUuid: 'ffffffff-0000-0000-0000-000000000000' }) },
    'ordinal-pitfalls',
    /cuDeviceGetUuid_v2/,
  ],
  [
    'a call that never returns',
    { snapshot: { nvml: { ...nvml, ...absent('driver-hangs', 'nvmlInit_v2'), gpus: [] } } },
    'driver-hangs',
    /nvmlInit_v2.*dmesg/s,
  ],
  ['a damaged library', { snapshot: { cuda: absent('driver-library-damaged') } }, 'libraries', /It does not work/],
  ['no Vulkan loader', { snapshot: { vulkan: absent('vulkan-loader-missing') } }, 'libraries', /apt install libvulkan1/],
];

const verdictOf = (change: Change, id: DoctorCheckId) => diagnose(factsWith(change)).checks.find((check) => check.id === id)!;

describe('the doctor', () => {
  it.each(causes)('names %s', (_, change, id, words) => {
    const { status, message, evidence, fixes } = verdictOf(change, id);
    expect(status).toBe('found');
    expect([message, ...evidence, ...fixes.flatMap(({ text, command = '' }) => [text, command])].join('\n')).toMatch(words);
  });

  it('has a cause in these tests for every check but the addon', () => {
    const provoked = new Set(causes.map(([, , id]) => id));
    expect(checks.map(({ id }) => id).filter((id) => !provoked.has(id))).toEqual(['addon']);
  });

  it('has every check in its page, in order', () => {
    const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/devices.md'), 'utf8');
    expect([...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, id]) => id)).toEqual(checks.map(({ id }) => id));
  });

  it('finds nothing to mend on a sound machine, and says of each check what it saw', () => {
    const report = diagnose(factsWith({ env: { CUDA_DEVICE_MAX_CONNECTIONS: '1' } }));
    expect(report.checks.filter(({ status }) => status === 'found')).toEqual([]);
    expect(report.checks.every(({ message }) => /[.\w)]$/.test(message))).toBe(true);
  });

  it('calls a machine without NVIDIA hardware sound', () => {
    const bare: Partial<DeviceSnapshot> = {
      environment: { ...environment, icdFiles: [], kernelDriverVersion: undefined as never },
      vulkan: { ...vulkan, devices: [{ ...vulkan.devices[0]!, type: 'cpu', name: 'llvmpipe' }] },
      cuda: absent('cuda-library-missing'),
      nvml: { available: false, gpus: [], reason: reason('nvml-library-missing', 'x') },
      matches: [],
    };
    const report = diagnose(factsWith({ snapshot: bare, system: { nodes: [], kernelGpus: [] } }));
    expect(report.checks.filter(({ status, severity }) => status === 'found' && severity !== 'info')).toEqual([]);
  });

  it('advises nothing of NVIDIA to a machine without it', () => {
    const bare = (problem: string): Partial<DeviceSnapshot> => ({
      environment: {
        ...environment,
        icdFiles: [{ path: '/icd/radeon_icd.json', library: 'libvulkan_radeon.so', problem }],
        kernelDriverVersion: undefined as never,
      },
      cuda: absent('cuda-library-missing'),
      nvml: { available: false, gpus: [], reason: reason('nvml-library-missing', 'x') },
      matches: [],
    });
    const causes: [string, DoctorCheckId][] = [
      ['The manifest is not valid JSON.', 'icd-missing'],
      ['libwayland-client.so.0: cannot open shared object file', 'icd-library'],
      ["Could not get 'vkCreateInstance' via 'vk_icdGetInstanceProcAddr'", 'icd-entry-point'],
    ];
    for (const [problem, id] of causes) {
      const { status, message, fixes } = verdictOf({ snapshot: bare(problem) }, id);
      expect([status, fixes.length > 0]).toEqual(['found', true]);
      expect(JSON.stringify([message, fixes])).not.toMatch(/nvidia|GLX|a library/i);
    }
  });

  it('calls nothing fine that could not be asked', () => {
    const facts = { ...factsWith(), engine: { version: '1', addonPath: '', addonProblem: { message: 'Not there.', nextStep: 'Build it.' } } };
    const unasked = diagnose(facts).checks.filter(({ status }) => status === 'not-asked');
    expect(unasked.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['libraries', 'driver-hangs', 'icd-library', 'cuda-init', 'nvml', 'gpu-health']),
    );
    for (const { message } of unasked) expect(message).toMatch(/^Not asked: .*could not be loaded\.$/);
  });

  it.each<[ReasonCode, DoctorCheckId, RegExp]>([
    ['vulkan-loader-missing', 'icd-library', /no Vulkan driver was tried/],
    ['driver-hangs', 'cuda-without-vulkan', /did not come to an end/],
  ])('with %s does not judge %s', (code, id, why) => {
    const { status, message } = verdictOf({ snapshot: { vulkan: absent(code) } }, id);
    expect(status).toBe('not-asked');
    expect(message).toMatch(why);
  });

  it('does not take the compatibility package for a mismatch', () => {
    const libraries = [{ name: 'libcuda.so.1', path: '/usr/local/cuda/compat/libcuda.so.590.44', version: '590.44' }];
    expect(verdictOf({ snapshot: { libraries } }, 'driver-mismatch').status).toBe('fine');
  });

  it('an addon of other sources is a warning with the way out', () => {
    const addonStale = { message: 'Built from other sources.', nextStep: 'Run "npm run build".' };
    const facts = { ...factsWith(), engine: { version: '1', addonPath: '/x', addonStale } };
    const check = diagnose(facts).checks.find(({ id }) => id === 'addon');
    expect(check).toMatchObject({ status: 'found', severity: 'warning', message: 'Built from other sources.' });
    expect(JSON.stringify(check?.fixes)).toContain('npm run build');
  });

  it('reports a missing addon first', () => {
    const facts = { ...factsWith(), engine: { version: '1', addonPath: '', addonProblem: { message: 'Not there.', nextStep: 'Build it.' } } };
    expect(diagnose(facts).checks[0]).toMatchObject({ id: 'addon', status: 'found', severity: 'problem', fixes: [{ text: 'Build it.' }] });
  });
});

describe('system facts', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'seamscope-doctor-'));
  afterAll(() => rmSync(root, { recursive: true }));
  const file = (name: string, text = '') => {
    mkdirSync(path.dirname(root + name), { recursive: true });
    writeFileSync(root + name, text);
  };
  file(
    '/proc/self/limits',
    'Limit                     Soft Limit           Hard Limit           Units\nMax open files            256                  unlimited            files\n',
  );
  file('/etc/ld.so.preload', '/usr/lib/libvgpu.so\n');
  file('/dev/nvidia0');
  file('/dev/nvidiactl');
  file('/dev/null-is-not-nvidia');
  file('/proc/driver/nvidia/gpus/0000:19:00.0/information');
  file('/proc/driver/nvidia-caps/mig-minors', 'config 1\ngpu0/gi9/access 83\ngpu0/gi9/ci0/access 84\ngpu0/gi10/access 92\n');
  file('/proc/driver/nvidia/capabilities/gpu0/mig/gi9/ci0/access');
  file('/dev/nvidia-caps/nvidia-cap83');
  const layer = { name: 'VK_LAYER_KHRONOS_validation', api_version: '1.3.239' };
  file('/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json', JSON.stringify({ layer }));
  file('/usr/share/vulkan/explicit_layer.d/broken.json', '{');

  it('are read from their files', () => {
    expect(readSystemFacts({ HOME: '/home/x' }, root)).toEqual({
      platform: process.platform,
      preloadFile: ['/usr/lib/libvgpu.so'],
      descriptors: { soft: 256, hard: Number.POSITIVE_INFINITY },
      nodes: [
        { path: '/dev/nvidia0', usable: true },
        { path: '/dev/nvidiactl', usable: true },
      ],
      kernelGpus: ['0000:19:00.0'],
      migNodes: [
        { capability: 'gpu0/gi9', node: '/dev/nvidia-caps/nvidia-cap83', state: 'usable' },
        { capability: 'gpu0/gi9/ci0', node: '/dev/nvidia-caps/nvidia-cap84', state: 'missing' },
      ],
      layers: [{ path: '/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json', apiVersion: '1.3.239' }],
    });
  });

  it('are read on this machine without a complaint', () => {
    expect(existsSync('/proc/self/limits') ? readSystemFacts(process.env).descriptors?.soft : 1).toBeGreaterThan(0);
    expect(matched.version).toBe(1);
  });
});
