import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { after, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { SeamscopeApi } from '../../../extension/src/api';
import { View } from '../../../extension/src/contributions/ids';
import { flatten } from '../../../extension/src/devices/tree';
import { useEngineEnvironment } from './support/doubles';
import { seamscope } from './support/extension';
import { closePreviews, openPreview, shows } from './support/preview';
import { until } from './support/until';

/** Ways to leave the Vulkan loader without a driver, and what the tree makes of each. */
const cases: { name: string; environment: Record<string, string>; code: string; cause: RegExp }[] = [
  {
    name: 'a driver file that does not exist',
    environment: { VK_DRIVER_FILES: '/nonexistent', VK_ICD_FILENAMES: '/nonexistent' },
    code: 'hidden-by-loader-filter',
    cause: /\/nonexistent/,
  },
  {
    name: 'no driver installed',
    environment: { XDG_DATA_DIRS: '/nonexistent', XDG_CONFIG_DIRS: '/nonexistent', XDG_DATA_HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' },
    code: 'vulkan-no-icd',
    cause: /driver/i,
  },
];

/** Where the loader looks whatever the environment says. */
const fixedFolder = '/etc/vulkan/icd.d';
const hasFixedDrivers = () => existsSync(fixedFolder) && readdirSync(fixedFolder).length > 0;

export function noDriverSuite(): void {
  for (const { name, environment, code, cause } of cases) {
    describe(`without Vulkan: ${name}`, () => {
      let api: SeamscopeApi;

      before(async function () {
        if (code === 'vulkan-no-icd' && hasFixedDrivers()) {
          console.log(`      skipped: ${fixedFolder} holds drivers`);
          this.skip();
        }
        api = await seamscope();
        await useEngineEnvironment(environment);
        await vscode.commands.executeCommand(`${View.Devices}.focus`);
      });
      after(async () => {
        await closePreviews();
        await useEngineEnvironment(undefined);
      });

      it('names the reason and the next step in the tree', async () => {
        const reason = await until(`the reason ${code}`, () => api.devices.snapshot?.vulkan.reason);
        assert.equal(reason.code, code);
        assert.match(reason.message, cause);
        const row = api.devices.tree.roots.find(({ label }) => label === 'Vulkan');
        assert.ok(row, 'no row for Vulkan');
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
}
