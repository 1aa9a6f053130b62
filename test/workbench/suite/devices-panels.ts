import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { SeamscopeApi } from '../../../extension/src/api';
import { Command } from '../../../extension/src/contributions/ids';
import { exported } from '../../../extension/src/devices-panels/export';
import type { DevicesPanel } from '../../../extension/src/devices-panels/panel';
import type { DevicesInspection } from '../../../helper/protocol/devices-panel';
import { hasDoubles, type Machine, useMachine } from './support/doubles';
import { seamscope } from './support/extension';
import { until } from './support/until';

const GPU = 'aaaaaaaa-1111-2222-3333-000000000000';
const instanceUuid = (number: number) => `bbbbbbbb-1111-5222-8333-00000000000${number}`;

/** Waits until a panel's document is as `test` wants it. */
function shows(panel: DevicesPanel, what: string, test: (seen: DevicesInspection) => boolean | undefined): Promise<DevicesInspection> {
  return until(`the panel shows ${what}`, async () => {
    const seen = await panel.inspect();
    if (test(seen)) return seen;
    throw new Error(JSON.stringify(seen).slice(0, 1500));
  });
}

const column = ({ tables }: DevicesInspection, table: string, id: string): string[] => {
  const at = tables[table]?.columns.findIndex((each) => each.id === id) ?? -1;
  return tables[table]?.rows.map((row) => row[at] ?? '') ?? [];
};

const clipboard = async (what: string, test: (text: string) => boolean) =>
  until(`${what} on the clipboard`, async () => {
    const text = await vscode.env.clipboard.readText();
    if (!test(text)) throw new Error(text.slice(0, 500));
    return text;
  });

export function devicesPanelsSuite(): void {
  describe('Devices panels, with stand-in drivers', () => {
    let api: SeamscopeApi;
    let machine: Machine | undefined;

    const list = () => api.devicesPanels.open(null);
    const close = async () => {
      for (const { panel } of api.devicesPanels.panels) panel.dispose();
      await until('all panels closed', () => api.devicesPanels.panels.length === 0);
    };

    before(async function () {
      if (!hasDoubles) {
        console.log('      skipped: the stand-in drivers have not been built (npm test -- native)');
        this.skip();
      }
      api = await seamscope();
      machine = await useMachine('mixed');
      await vscode.commands.executeCommand(Command.ShowDevices);
    });
    after(async () => {
      if (!machine) return;
      api.devicesPanels.choice.useEditor();
      await close();
      await machine.stop();
    });

    it('list every GPU and instance with ordinal and the reason for a missing Vulkan device', async () => {
      const seen = await shows(list(), 'a GPU and three instances', ({ tables }) => tables.gpus?.rows.length === 4);
      assert.deepEqual(column(seen, 'gpus', 'device'), ['NVIDIA H200', 'MIG 3g.71gb', 'MIG 2g.35gb', 'MIG 1g.18gb']);
      assert.deepEqual(column(seen, 'gpus', 'cuda'), ['–', '0', '1', '2']);
      assert.match(column(seen, 'gpus', 'vulkan')[1]!, /without graphics/);
      assert.deepEqual(column(seen, 'routes', 'cuda'), ['0', '1', '2']);
    });

    it('sort by a header and say so', async () => {
      const up = await list().perform('sort', 'gpus profile');
      assert.deepEqual(column(up, 'gpus', 'device'), ['MIG 1g.18gb', 'MIG 2g.35gb', 'MIG 3g.71gb', 'NVIDIA H200']);
      assert.match(up.announced, /Sorted by Profile, ascending/);
      const down = await list().perform('sort', 'gpus profile');
      assert.deepEqual(column(down, 'gpus', 'device'), ['MIG 3g.71gb', 'MIG 2g.35gb', 'MIG 1g.18gb', 'NVIDIA H200']);
      assert.equal(down.tables.gpus?.columns.find(({ id }) => id === 'profile')?.sort, 'descending');
      await list().perform('sort', 'gpus profile');
    });

    it('filter every table', async () => {
      const seen = await list().perform('filter', '1g.18gb');
      assert.deepEqual(column(seen, 'gpus', 'device'), ['NVIDIA H200', 'MIG 1g.18gb']);
      assert.equal(seen.tables.routes?.rows.length, 1);
      await list().perform('filter', '');
    });

    it('are walked through and copied with keys', async () => {
      const panel = list();
      panel.panel.reveal();
      await until('the second row', async () => {
        const { tables } = await panel.perform('key', 'gpus ArrowDown');
        return tables.gpus?.focused === 'MIG 3g.71gb';
      });
      await panel.perform('key', 'gpus Control+c');
      await clipboard('a cell', (text) => text === 'MIG 3g.71gb');
      await panel.perform('key', 'gpus Control+Shift+C');
      await clipboard('a row', (text) => text.startsWith('MIG 3g.71gb\t0\t') && text.includes(instanceUuid(1)));
      await panel.perform('press', 'Copy GPUs and MIG instances as Markdown');
      await clipboard('a table', (text) => text.startsWith('| Device | CUDA |') && text.split('\n').length === 6);
    });

    it('open the panel of a device, several at once, with charts, slices and lines to copy', async () => {
      await list().perform('key', 'gpus Enter');
      const instance = await until('the panel of an instance', () => api.devicesPanels.panels.find(({ device }) => device === instanceUuid(1)));
      const seen = await shows(instance, 'its use', ({ charts }) => charts.some((text) => /^Use: 38 %/.test(text)));
      assert.equal(seen.heading, 'NVIDIA H200 MIG 3g.71gb');
      assert.match(seen.slices[0]!, /^\*GPU instance 2, compute instance 0/);
      assert.ok(
        seen.tables.cuda?.rows.some(([name]) => /POSIX file descriptors/.test(name ?? '')),
        'no capabilities of CUDA',
      );
      await instance.perform('press', 'CUDA_VISIBLE_DEVICES');
      await clipboard('the line', (text) => text === `CUDA_VISIBLE_DEVICES=MIG-${instanceUuid(1)}`);
      await instance.perform('press', 'C++');
      await clipboard('C++', (text) => text.includes('cuDeviceGetUuid_v2') && text.includes('{0xbb, 0xbb'));
      const gpu = api.devicesPanels.open(GPU);
      const whole = await shows(gpu, 'power', ({ charts }) => charts.some((text) => /^Power: \d+ W/.test(text)));
      assert.equal(whole.tables.instances?.rows.length, 3);
      assert.ok(
        whole.slices.some((title) => /is free/.test(title)),
        'no hole',
      );
      assert.equal(api.devicesPanels.open(instanceUuid(1)), instance, 'a second panel of one device');
      assert.equal(api.devicesPanels.panels.length, 3);
    });

    it('export one device or all', () => {
      const one = exported(api.devices.snapshot, instanceUuid(3));
      assert.equal(one.name, 'NVIDIA-H200-MIG-1g.18gb.json');
      assert.equal(JSON.parse(one.text).device.instance.gpuInstanceId, 9);
      assert.equal(JSON.parse(exported(api.devices.snapshot, null).text).nvml.gpus.length, 1);
      assert.throws(() => exported(api.devices.snapshot, 'gone'), /not listed/);
    });

    it('show what another environment lists, and say whose it is', async () => {
      api.devicesPanels.choice.useTyped(`CUDA_VISIBLE_DEVICES=MIG-${instanceUuid(3)},9`);
      const other = await shows(list(), 'one ordinal', (seen) => column(seen, 'gpus', 'cuda').at(-1) === '0');
      assert.match(other.environment, /as with CUDA_VISIBLE_DEVICES=MIG-/);
      assert.match(column(other, 'gpus', 'cuda')[1]!, /hidden by CUDA_VISIBLE_DEVICES/);
      assert.deepEqual(column(other, 'visible', 'status'), ['selects', 'ends the list']);
      await list().perform('press', "Back to the Editor's");
      const own = await shows(list(), 'all ordinals', (seen) => column(seen, 'gpus', 'cuda')[1] === '0');
      assert.match(own.environment, /editor's environment/);
    });

    it('follow a MIG layout that is changed, without a restart', async () => {
      const { pid } = api.engine;
      const instance = api.devicesPanels.open(instanceUuid(3));
      await shows(instance, 'the instance', ({ heading }) => heading === 'NVIDIA H200 MIG 1g.18gb');
      machine!.become('holes');
      await shows(list(), 'the new layout', (seen) => column(seen, 'gpus', 'device').join() === 'NVIDIA H200,MIG 1g.18gb,MIG 3g.71gb');
      instance.panel.reveal();
      const gone = await shows(instance, 'its last state', ({ heading }) => heading === 'NVIDIA H200 MIG 1g.18gb');
      assert.ok(gone.tables.facts?.rows.length, 'the last state is not kept');
      assert.equal(api.engine.pid, pid);
      machine!.become('mixed');
    });

    it('come back with an engine that was killed', async () => {
      await shows(list(), 'the layout', ({ tables }) => tables.gpus?.rows.length === 4);
      const killed = api.engine.pid!;
      process.kill(killed, 'SIGKILL');
      await until('another engine', () => api.engine.pid !== killed && api.engine.state === 'running');
      await shows(list(), 'the layout again', ({ tables, notice }) => notice === '' && tables.gpus?.rows.length === 4);
      await until('readings again', () => api.devicesPanels.readings.isReading);
    });

    it('name the call of a driver that never returns, and ask again when the user says so', async function () {
      this.timeout(180_000);
      machine!.become('mixed', { faults: { hang: 'nvmlDeviceGetTemperature' } });
      await vscode.commands.executeCommand(Command.RestartHelpers);
      const seen = await shows(list(), 'the call', ({ notice }) => /nvmlDeviceGetTemperature did not return/.test(notice));
      assert.ok(seen.buttons.includes('Try Again'), 'no way on');
      machine!.become('mixed');
      await list().perform('press', 'Try Again');
      await shows(list(), 'the layout', ({ tables, notice }) => notice === '' && tables.gpus?.rows.length === 4);
      await until('readings again', () => api.devicesPanels.readings.isReading);
    });

    it('read nothing while nobody can see them', async () => {
      const panel = list();
      await vscode.commands.executeCommand('workbench.action.files.newUntitledFile');
      await until('hidden panels', () => api.devicesPanels.panels.every((each) => !each.panel.visible));
      await until('no reading', () => !api.devicesPanels.readings.isReading);
      panel.panel.reveal();
      await until('readings again', () => api.devicesPanels.readings.isReading);
      await close();
      await until('no reading', () => !api.devicesPanels.readings.isReading);
    });
  });
}
