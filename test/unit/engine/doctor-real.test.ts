/** The doctor on this machine, whose environment and files each test spoils: what the real loader and linker make of it must be named. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { DoctorCheckId, DoctorReport } from '../../../helper/protocol/doctor';
import { bundleEngine, realAddon } from './harness';

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const addon = realAddon();
if (!addon) console.log('skipped: the addon has not been built (npm run build)');

const folder = mkdtempSync(path.join(tmpdir(), 'seamscope-doctor-real-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string) => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
const manifest = (library: string) => JSON.stringify({ file_format_version: '1.0.0', ICD: { library_path: library, api_version: '1.3.0' } });

function doctor(bundle: string, variables: Record<string, string>, shell = ''): DoctorReport {
  const foreign = /^(CUDA_|NVIDIA_|VK_|MESA_VK_|LD_|SEAMSCOPE_)/;
  const clean = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const env = { ...Object.fromEntries(clean), SEAMSCOPE_ADDON: addon!, ...variables };
  const command = `${shell} exec "${process.execPath}" "${path.join(bundle, 'cli.js')}" doctor --json`;
  return JSON.parse(spawnSync('sh', ['-c', command], { env, encoding: 'utf8' }).stdout) as DoctorReport;
}

/** Variables, the check that must name them, and what its words must hold. */
const causes: [string, Record<string, string>, DoctorCheckId, RegExp][] = [
  ['an empty list of driver files', { VK_DRIVER_FILES: '' }, 'loader-filter', /VK_DRIVER_FILES is set to nothing/],
  ['the same under its old name', { VK_ICD_FILENAMES: '' }, 'loader-filter', /VK_ICD_FILENAMES is set to nothing/],
  ['every driver disabled', { VK_LOADER_DRIVERS_DISABLE: '*' }, 'loader-filter', /VK_LOADER_DRIVERS_DISABLE=\*/],
  ['a manifest that is no JSON', { VK_DRIVER_FILES: file('broken.json', '{') }, 'icd-missing', /broken\.json.*not valid JSON/s],
  [
    'a driver that lacks a library',
    { VK_DRIVER_FILES: file('lacking.json', manifest('libseamscope_absent.so.1')) },
    'icd-library',
    /libseamscope_absent\.so\.1 is missing/,
  ],
  ['a library that is no driver', { VK_DRIVER_FILES: file('math.json', manifest('libm.so.6')) }, 'icd-entry-point', /vkCreateInstance/],
  ['an entry that names nothing', { CUDA_VISIBLE_DEVICES: 'nonsense' }, 'visible-devices', /nonsense/],
  ['an interposer', { LD_PRELOAD: path.join(folder, 'libvgpu.so') }, 'preload', /HAMi/],
];

describe.skipIf(!addon)('the doctor on this machine', () => {
  const bundle = bundleEngine();
  const verdict = (report: DoctorReport, id: DoctorCheckId) => report.checks.find((check) => check.id === id)!;
  const wordsOf = ({ message, evidence, fixes }: DoctorReport['checks'][number]) =>
    [message, ...evidence, ...fixes.flatMap(({ text, command = '' }) => [text, command])].join('\n');

  it.each(causes)('names %s', (_, variables, id, words) => {
    const found = verdict(doctor(bundle, variables), id);
    expect([found.status, wordsOf(found)]).toEqual(['found', expect.stringMatching(words)]);
  });

  it('names a broken loader that comes first, and the one that was opened instead', () => {
    file('libvulkan.so.1', 'no library');
    const found = verdict(doctor(bundle, { LD_LIBRARY_PATH: folder }), 'libraries');
    expect(found.status).toBe('found');
    expect(wordsOf(found)).toContain(path.join(folder, 'libvulkan.so.1'));
  });

  it('names a low limit of open files', () => {
    expect(verdict(doctor(bundle, {}, 'ulimit -n 256;'), 'descriptor-limit')).toMatchObject({ status: 'found', severity: 'warning' });
  });

  it('judges no driver without the addon', () => {
    const report = doctor(bundle, { SEAMSCOPE_ADDON: path.join(folder, 'absent.node') });
    expect(verdict(report, 'addon').status).toBe('found');
    for (const id of ['libraries', 'icd-library', 'cuda-init', 'nvml'] as const) expect(verdict(report, id).status).toBe('not-asked');
  });
});
