import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { SeamscopeApi } from '../../../extension/src/api';
import { Command, View } from '../../../extension/src/contributions/ids';
import type { DeviceNode } from '../../../extension/src/devices/node';
import { flatten } from '../../../extension/src/devices/tree';
import { seamscope } from './support/extension';
import { until } from './support/until';

export function devicesSuite(): void {
  describe('devices view', () => {
    let api: SeamscopeApi;
    const rows = () => flatten(api.devices.tree.roots);
    const row = (label: RegExp): DeviceNode | undefined => rows().find((node) => label.test(node.label));

    before(async () => {
      api = await seamscope();
      await vscode.commands.executeCommand(`${View.Devices}.focus`);
      await until('a list of devices', () => api.devices.tree.state === 'listed');
    });

    it('starts the engine when it is shown', () => {
      assert.equal(api.engine.state, 'running');
      assert.ok(api.engine.pid);
    });

    it('lists every Vulkan device with its driver', function () {
      const devices = api.devices.snapshot?.vulkan.devices ?? [];
      if (devices.length === 0) {
        console.log('      skipped: no Vulkan driver is installed here');
        this.skip();
      }
      for (const device of devices) {
        const node = rows().find(({ label, uuid }) => label === `Vulkan ${device.index}` && uuid === device.deviceUuid);
        assert.ok(node, `no row for ${device.name}`);
        assert.match(node.description ?? '', new RegExp(device.apiVersion.replaceAll('.', '\\.')));
      }
    });

    it('says of a CPU device that it has no CUDA partner', function () {
      if (!api.devices.snapshot?.vulkan.devices.some(({ type }) => type === 'cpu')) {
        console.log('      skipped: no CPU Vulkan driver is installed here');
        this.skip();
      }
      const device = row(/llvmpipe/);
      assert.ok(device, 'no row for llvmpipe');
      const reason = flatten(device.children).find(({ label }) => label === 'No CUDA device');
      assert.equal(reason?.description, 'runs on the CPU');
      assert.equal(reason.children.length, 2);
    });

    it('says why there is no CUDA and what to do', function () {
      if (existsSync('/dev/nvidiactl')) {
        console.log('      skipped: this machine has an NVIDIA driver');
        this.skip();
      }
      const cuda = row(/^CUDA$/);
      assert.ok(cuda, 'no row for CUDA');
      assert.ok(cuda.description);
      const step = cuda.children.find(({ icon }) => icon === 'lightbulb');
      assert.ok(step && step.label.length > 10, 'no next step');
      assert.ok(cuda.tooltip?.includes('`cuda-'));
    });

    it('copies a UUID and a CUDA_VISIBLE_DEVICES line', async () => {
      const device = rows().find(({ uuid }) => uuid);
      assert.ok(device, 'no row with a UUID');
      await vscode.commands.executeCommand(Command.CopyUuid, device);
      assert.equal(await vscode.env.clipboard.readText(), device.uuid);
      await vscode.commands.executeCommand(Command.CopyVisibleDevices, { ...device, visibleDevices: 'GPU-1' });
      assert.equal(await vscode.env.clipboard.readText(), 'CUDA_VISIBLE_DEVICES=GPU-1');
    });

    it('reads no devices while it is hidden', async () => {
      await vscode.commands.executeCommand('workbench.view.explorer');
      const hidden = await until('a snapshot that stays', async () => {
        const { takenAt } = api.devices.snapshot!;
        await new Promise((resolve) => setTimeout(resolve, 3000));
        return takenAt === api.devices.snapshot!.takenAt && takenAt;
      });
      await vscode.commands.executeCommand(`${View.Devices}.focus`);
      await until('a newer snapshot', () => api.devices.snapshot!.takenAt !== hidden);
    });
  });
}
