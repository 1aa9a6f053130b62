import { describe, expect, it } from 'vitest';
import type { DeviceSnapshot, GpuLink } from '../../../../helper/protocol/devices';
import { asCsv, asMarkdown, asTabs } from '../../../../webview/src/devices/model/copy';
import { filtered } from '../../../../webview/src/devices/model/filter';
import { machineFindings } from '../../../../webview/src/devices/model/findings';
import { gpuTable } from '../../../../webview/src/devices/model/gpu-table';
import { healthCell } from '../../../../webview/src/devices/model/health';
import { linksTable } from '../../../../webview/src/devices/model/links-table';
import { routingTable } from '../../../../webview/src/devices/model/routing-table';
import { nextSorting, sorted } from '../../../../webview/src/devices/model/sort';
import { type Table, withoutEmptyColumns } from '../../../../webview/src/devices/model/table';
import { visibleTable } from '../../../../webview/src/devices/model/visible-table';
import { vulkanTable } from '../../../../webview/src/devices/model/vulkan-table';
import { machines, nvmlGpu, reason, snapshot } from '../../extension/devices/snapshots';

/** Rows as lines of text, without columns that say nothing. */
const lines = (table: Table): string[] => withoutEmptyColumns(table).rows.map(({ cells }) => cells.map(({ text }) => text).join(' | '));
const names = (table: Table): string[] => table.rows.map(({ cells }) => cells[0]!.text);

describe('the table of GPUs', () => {
  it.each<[string, DeviceSnapshot, string[]]>([
    ['a matched GPU', machines.h200, ['NVIDIA H200 | 0 | 0 | 0 | 1.4 GiB of 139.7 GiB | 7 % | 33 °C | 80 W | ok | 11111111…5555 | 00000000:01:00.0']],
    [
      'an instance below its GPU, with the reason for the missing Vulkan device',
      machines.migWithoutGraphics,
      [
        'NVIDIA H200 | – | – | 0 | 1.4 GiB of 139.7 GiB | 7 % | 33 °C | 80 W | ok | 11111111…5555 | 00000000:01:00.0',
        'MIG 1g.18gb | 0 | MIG profile without graphics | 0 · 9/0 | 512 MiB of 18 GiB | – | – | – | – | aaaaaaaa…eeee | –',
      ],
    ],
    ['what only CUDA lists', machines.cudaWithoutNvml, ['NVIDIA H200 | 0 | container without graphics | 139.7 GiB | 11111111…5555']],
    ['no GPU', machines.lavapipe, []],
  ])('lists %s', (_, machine, expected) => {
    expect(lines(gpuTable(machine))).toEqual(expected);
  });

  it('says what is wrong with a GPU, the worst first', () => {
    const clocks = { graphicsMhz: 300 };
    const sick = nvmlGpu({
      mig: { supported: true, current: false, pending: true },
      health: { clocks, maxClocks: clocks, clockLimits: ['idle', 'hardware-thermal'], ecc: { enabled: true, uncorrectedErrors: 3 } },
    });
    expect(healthCell(sick)).toMatchObject({ text: '3 memory errors +2', level: 'error', title: expect.stringContaining('too hot') });
    expect(healthCell(nvmlGpu({ problems: [reason('gpu-lost')] }))).toMatchObject({ text: 'GPU lost', level: 'error' });
    expect(healthCell(nvmlGpu({ health: { clocks, maxClocks: clocks, clockLimits: ['idle'] } }))).toMatchObject({ text: 'ok', level: 'good' });
  });
});

describe('the other tables', () => {
  it('list Vulkan devices with their CUDA partner or the reason', () => {
    expect(lines(vulkanTable(machines.lavapipe))[0]).toMatch(/^0 \| llvmpipe .* \| runs on the CPU \| CPU \| llvmpipe/);
    expect(lines(vulkanTable(machines.h200))[0]).toMatch(/^0 \| NVIDIA H200 \| 0 \| discrete \| .* \| export, import \| no \| shared \|/);
  });

  it('route ordinals to Vulkan devices and sources by their names', () => {
    const routed = snapshot({
      routes: [
        { cudaOrdinal: 0, vulkanIndex: 3, name: 'A', sources: ['scene', 'p1'] },
        { cudaOrdinal: 1, name: 'B', sources: [], missing: 'No graphics.' },
      ],
    });
    expect(lines(routingTable(routed, new Map([['p1', 'render']])))).toEqual(['0 | 3 | A | scene, render | –', '1 | – | B | – | No graphics.']);
  });

  it('explain entries of CUDA_VISIBLE_DEVICES', () => {
    const visible = snapshot({
      visible: {
        value: '1,9',
        entries: [
          { text: '1', kind: 'index', status: 'selects', ordinal: 0, message: 'Is it.' },
          { text: '9', kind: 'index', status: 'ends-list', message: 'There is none.' },
        ],
        order: { value: 'FASTEST_FIRST', set: false, message: '' },
        migRule: { generation: 'unknown', message: '' },
        summary: '',
      },
    });
    expect(lines(visibleTable(visible))).toEqual(['1 | index | selects | 0 | Is it.', '9 | index | ends the list | – | There is none.']);
  });

  it('show links both ways', () => {
    const links: GpuLink[] = [
      { a: 0, b: 1, path: 'system', nvlinks: 18, throughSwitch: true, peerRead: 'ok' },
      { a: 0, b: 2, path: 'numa-node', nvlinks: 0, throughSwitch: false },
    ];
    const gpus = [0, 1, 2].map((index) => nvmlGpu({ index, uuid: `gpu-${index}` }));
    expect(lines(linksTable(snapshot({ nvml: { available: true, gpus }, links })))).toEqual([
      '0 | – | NV18 | node',
      '1 | NV18 | – | –',
      '2 | node | – | –',
    ]);
  });

  it.each([
    ['no driver', machines.noDriver, [/vulkan-loader-missing/, /cuda-library-missing/]],
    ['no addon: one cause, said once', machines.noAddon, [/addon-missing/]],
    ['drivers without a GPU', machines.noGpu, [/list no GPU/]],
    ['everything there', machines.h200, []],
  ])('are explained where they are empty: %s', (_, machine, expected) => {
    const found = machineFindings(machine).map(({ message }) => message);
    expect(found).toHaveLength(expected.length);
    for (const [at, pattern] of expected.entries()) expect(found[at]).toMatch(pattern);
  });
});

describe('sorting and filtering', () => {
  const table: Table = {
    columns: [
      { id: 'name', label: 'Name' },
      { id: 'use', label: 'Use', numeric: true },
    ],
    rows: [
      { id: 'a', cells: [{ text: 'GPU 10' }, { text: '9 %', sort: 9 }] },
      {
        id: 'b',
        nested: true,
        cells: [
          { text: 'GPU 2', title: 'hidden words' },
          { text: '–', sort: undefined },
        ],
      },
      { id: 'c', cells: [{ text: 'gpu 1' }, { text: '80 %', sort: 80 }] },
    ],
  };

  it.each([
    ['name', false, ['gpu 1', 'GPU 2', 'GPU 10']],
    ['name', true, ['GPU 10', 'GPU 2', 'gpu 1']],
    ['use', false, ['GPU 10', 'gpu 1', 'GPU 2']],
    ['use', true, ['gpu 1', 'GPU 10', 'GPU 2']],
    ['gone', false, ['GPU 10', 'GPU 2', 'gpu 1']],
  ])('by %s, descending %s: what has no value stands last', (column, descending, expected) => {
    expect(names(sorted(table, { column, descending }))).toEqual(expected);
  });

  it('goes up, down and back with each press', () => {
    const up = nextSorting(undefined, 'use');
    const down = nextSorting(up, 'use');
    expect([up, down, nextSorting(down, 'use'), nextSorting(down, 'name')]).toEqual([
      { column: 'use', descending: false },
      { column: 'use', descending: true },
      undefined,
      { column: 'name', descending: false },
    ]);
  });

  it.each([
    ['', ['GPU 10', 'GPU 2', 'gpu 1']],
    ['  80 gpu ', ['gpu 1']],
    // The GPU that an instance belongs to stays above it.
    ['hidden', ['GPU 10', 'GPU 2']],
    ['10', ['GPU 10']],
    ['nothing like it', []],
  ])('filters by %j', (text, expected) => {
    expect(names(filtered(table, text))).toEqual(expected);
  });
});

describe('copying', () => {
  const table: Table = {
    columns: [
      { id: 'name', label: 'Name' },
      { id: 'size', label: 'Size', numeric: true },
    ],
    rows: [{ id: 'a', cells: [{ text: '=cmd|"x", [y](z)\n', copy: '=cmd|"x", [y](z)\nw' }, { text: '–' }] }],
  };

  it('keeps names from becoming markup, cells or formulas', () => {
    expect(asMarkdown(table)).toBe('| Name | Size |\n| --- | --: |\n| =cmd\\|"x", \\[y\\](z) w |  |');
    expect(asCsv(table)).toBe('Name,Size\r\n"\'=cmd|""x"", [y](z)\nw",');
    expect(asTabs(table.rows[0]!)).toBe('=cmd|"x", [y](z) w\t');
  });

  it('leaves negative numbers alone', () => {
    expect(asCsv({ columns: table.columns, rows: [{ id: 'a', cells: [{ text: '-1.5' }, { text: '-x' }] }] })).toBe("Name,Size\r\n-1.5,'-x");
  });
});
