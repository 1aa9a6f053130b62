import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { SeamscopeApi } from '../../../extension/src/api';
import { Command } from '../../../extension/src/contributions/ids';
import { flatten } from '../../../extension/src/devices/tree';
import { seamscope } from './support/extension';
import { closePreviews, openPreview, shows } from './support/preview';
import { until } from './support/until';

const NO_DRIVER = { VK_DRIVER_FILES: '/nonexistent', VK_ICD_FILENAMES: '/nonexistent', CUDA_VISIBLE_DEVICES: '' };

async function useEnvironment(environment: Record<string, string> | undefined): Promise<void> {
  await vscode.workspace.getConfiguration('seamscope').update('engine.environment', environment, vscode.ConfigurationTarget.Global);
  await vscode.commands.executeCommand(Command.RestartHelpers);
}

export function noDriverSuite(): void {
  describe('without any Vulkan driver', () => {
    let api: SeamscopeApi;

    before(async () => {
      api = await seamscope();
      await useEnvironment(NO_DRIVER);
      await vscode.commands.executeCommand(Command.ShowDevices);
    });
    after(async () => {
      await closePreviews();
      await useEnvironment(undefined);
    });

    it('names the reason and the next step in the tree', async () => {
      const row = await until('a Vulkan row', () => {
        const roots = api.devices.snapshot?.vulkan.available === false ? api.devices.tree.roots : [];
        return roots.find(({ label }) => label === 'Vulkan');
      });
      assert.equal(api.devices.snapshot?.vulkan.reason?.code, 'vulkan-no-icd');
      assert.equal(row.description, 'no Vulkan driver found');
      const step = flatten(row.children).find(({ icon }) => icon === 'lightbulb');
      assert.ok(step && step.label.length > 10, 'no next step');
    });

    it('draws the preview on the host', async () => {
      const preview = await openPreview();
      const panel = await shows(preview, 'a moving picture', ({ drawn }) => drawn > 5);
      assert.match(panel.device, /host/i);
      assert.equal(panel.failure, null);
      assert.ok(panel.info.stats.max > panel.info.stats.min);
    });
  });
}
