import { describe, expect, it } from 'vitest';
import { devicesText } from '../../../helper/cli/devices-text';
import { doctorText } from '../../../helper/cli/doctor-text';
import { parsePreviewOptions } from '../../../helper/cli/preview-options';
import { measure, reportText } from '../../../helper/cli/preview-report';
import { table } from '../../../helper/cli/table';
import type { DoctorCheck, DoctorReport } from '../../../helper/protocol/doctor';
import type { FrameInfo } from '../../../helper/protocol/frames';
import { cpuOnly, gpu, matched, reason } from './fixtures';

describe('devices as text', () => {
  it('shows a matched GPU in every table', () => {
    expect(devicesText(matched)).toBe(
      [
        'GPUs (NVML 580.159.04)',
        '  GPU  Name         UUID                                  PCI              Memory     Used  Use  Temp  Power  MIG',
        '    0  NVIDIA H200  3a1b2c4d-0000-1111-2222-333344445555  0000:19:00.0  150.0 GiB  1.0 GiB  7 %  41 C   76 W  off, on after a reset',
        '',
        'CUDA devices (driver 13.0)',
        '  Ordinal  Name         UUID                                  PCI     Memory  Compute',
        '        0  NVIDIA H200  3a1b2c4d-0000-1111-2222-333344445555       150.0 GiB      9.0',
        '',
        'Vulkan devices (loader 1.4.312)',
        '  Index  Name         Type      UUID                                  Driver      API      Memory export  Semaphore export',
        '      0  NVIDIA H200  discrete  3a1b2c4d-0000-1111-2222-333344445555  580.159.04  1.4.312  opaqueFd       timeline opaqueFd',
        '',
        'Matches',
        '  CUDA 0 = Vulkan 0 = GPU 0  by UUID 3a1b2c4d-0000-1111-2222-333344445555',
        '',
        'Environment (in a container)',
        '  CUDA_VISIBLE_DEVICES=0',
      ].join('\n'),
    );
  });

  it('gives the reason and the next step for all that is absent', () => {
    const text = devicesText(cpuOnly);
    expect(text).toContain('CUDA devices\n  libcuda.so.1 cannot be opened.\n      Next step: Install the driver.');
    expect(text).toContain('Matches\n  Vulkan 0: llvmpipe runs on the CPU.\n      Next step: Nothing to do.');
    expect(text).toContain('Memory export');
  });

  it("shows the loader's own words about a driver that it refused", () => {
    const refused = { ...reason('vulkan-icd-rejected', 'The loader refused it.', 'Mend it.'), detail: 'libfoo.so: cannot open\nskipping it' };
    const icdFiles = [
      { path: '/icd/a.json', problem: 'The manifest is not valid JSON.' },
      { path: '/icd/b.json', library: 'libb.so' },
    ];
    const text = devicesText({
      ...cpuOnly,
      vulkan: { available: false, devices: [], reason: refused },
      environment: { ...cpuOnly.environment, icdFiles },
    });
    expect(text).toContain(
      [
        '  The loader refused it.',
        'libfoo.so: cannot open',
        'skipping it',
        'Next step: Mend it.\n  /icd/a.json: The manifest is not valid JSON.',
      ].join('\n      '),
    );
    expect(text).not.toContain('b.json');
    const absent = { ...reason('cuda-library-missing', 'No driver.'), detail: 'libcuda.so.1: No such file' };
    expect(devicesText({ ...cpuOnly, cuda: { available: false, devices: [], reason: absent } })).not.toContain('No such file');
  });

  it('shows MIG instances and the problems of a GPU', () => {
    const instance = {
      index: 1,
      uuid: 'm-uuid',
      nvmlUuid: 'MIG-m-uuid',
      name: '1g.18gb',
      gpuInstanceId: 7,
      computeInstanceId: 0,
      memoryBytes: 18 * 2 ** 30,
      graphics: false,
    };
    const lost = { ...gpu, instances: [instance], problems: [reason('gpu-lost', 'The GPU has fallen off the bus.')] };
    const text = devicesText({ ...matched, nvml: { available: true, gpus: [lost] } });
    expect(text).toMatch(/MIG 1 +1g\.18gb +m-uuid +18\.0 GiB +GI 7 CI 0, no graphics/);
    expect(text).toContain('GPU 0: The GPU has fallen off the bus.');
  });
});

describe('table', () => {
  it('aligns numbers to the right, words to the left, and leaves no trailing blanks', () => {
    expect(
      table(
        ['N', 'Word'],
        [
          ['1', 'a'],
          ['22', 'bb'],
        ],
        '',
      ),
    ).toBe(' N  Word\n 1  a\n22  bb');
  });
});

describe('doctor', () => {
  const check = (status: DoctorCheck['status'], severity: DoctorCheck['severity'], title: string): DoctorCheck => ({
    id: 'preload',
    title,
    status,
    severity,
    message: `about ${title}.`,
    evidence: ['seen'],
    fixes: status === 'found' ? [{ text: 'Do this.', command: 'this --now' }] : [],
  });
  const report: DoctorReport = {
    version: 1,
    takenAt: '',
    checks: [check('fine', 'info', 'A'), check('found', 'warning', 'B'), check('not-applicable', 'info', 'C'), check('found', 'problem', 'D')],
  };

  it('shows what was found first, with evidence and command', () => {
    expect(doctorText(report, false)).toBe(
      [
        'PROBLEM  D: about D.',
        '         seen',
        '         Next step: Do this.',
        '             $ this --now',
        'warning  B: about B.',
        '         seen',
        '         Next step: Do this.',
        '             $ this --now',
        'ok       A: about A.',
        '',
        '4 checks: 1 problem, 1 warning.',
      ].join('\n'),
    );
  });

  it('shows everything with --all', () => {
    expect(doctorText(report, true)).toMatch(/ok {7}A: about A\.\n {9}seen\nn\/a {6}C: about C\./);
  });
});

describe('preview', () => {
  it.each([
    [['--frames', '0'], /--frames must be a number from 1/],
    [['--frames', 'many'], /--frames must be/],
    [['--size', '0x'], /--size must be WIDTHxHEIGHT/],
    [['--size', '0x0'], /^Width and height of --size must be from 16 to 16384, not "0x0"\.$/],
    [['--size', '64x99999'], /--size must be from 16 to 16384/],
    [['--view', '0x10'], /--view must be from 1 to 8192/],
    [['--encoding', 'gif'], /--encoding must be/],
    [['--sauce', 'scene'], /Unknown option '--sauce'/],
    [['scene'], /Unexpected argument 'scene'/],
  ])('refuses %j', (args, message) => {
    expect(() => parsePreviewOptions(args)).toThrow(message);
  });

  it.each([
    [
      ['--source', 'files:out', '--device', 'host', '--size', '64x64'],
      ['--device', '--size'],
    ],
    [['--source', 'train', '--device', 'host'], ['--device']],
    [['--source', 'train'], []],
    [['--device', 'host', '--size', '64x64'], undefined],
  ])('says which of %j mean nothing to the source', (args, ignored) => {
    expect(parsePreviewOptions(args).ignored).toEqual(ignored);
  });

  it('measures rate, first picture, stages and drops', () => {
    const info = { times: { render: 4, ingest: 1, view: 2, encode: 3 }, width: 96, height: 54, encoding: 'jpeg' } as FrameInfo;
    const arrivals = [0, 10, 20, 40].map((ms, i) => ({ info: { ...info, dropped: i }, bytes: 1000 + i, at: 500 + ms }));
    const output = 'depth';
    const source = { id: 'scene', label: '', kind: 'scene', device: 'Vulkan 0', outputs: [] } as const;
    const report = measure({
      output,
      source: { ...source, outputs: [] },
      arrivals,
      startedAt: 300,
      gpuMemoryBytes: 2 ** 20,
      saved: { file: '/f.png', bytes: 9, frame: 3, content: 'texels' },
    });
    expect(report).toMatchObject({
      fps: 75,
      firstPictureMs: 200,
      dropped: 3,
      bytesPerPicture: 1002,
      interval: { median: 10, p95: 20 },
      times: { render: { median: 4 } },
    });
    expect(reportText(report)).toContain('75 fps; first picture after 200 ms; 3 frames dropped');
    expect(
      reportText(measure({ output, source: { ...source, outputs: [] }, arrivals: arrivals.slice(0, 1), startedAt: 0, gpuMemoryBytes: 0 })),
    ).toContain('no rate');
  });

  it('says once where it was drawn, and why not by Vulkan', () => {
    const arrival = { info: { times: {}, width: 1, height: 1, encoding: 'jpeg', dropped: 0 } as unknown as FrameInfo, bytes: 1, at: 1 };
    const source = { id: 'scene', label: '', kind: 'scene', device: 'host, 2 threads, host passes, 2 threads', outputs: [] } as const;
    const onHostBecause = 'The Vulkan loader is missing. Install it.';
    const text = reportText(
      measure({ output: 'color', source: { ...source, outputs: [] }, arrivals: [arrival], startedAt: 0, gpuMemoryBytes: 0, onHostBecause }),
    );
    expect(text.split('\n').slice(0, 2)).toEqual(['scene "color" on host, 2 threads', `  drawn on the CPU: ${onHostBecause}`]);
  });
});
