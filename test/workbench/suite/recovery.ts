import assert from 'node:assert/strict';
import { after, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { Command } from '../../../extension/src/contributions/ids';
import { diagnosticsOf } from './lint';
import { demoFile, seamscope } from './support/extension';
import { closePreviews, openPreview, shows } from './support/preview';
import { childProcesses } from './support/processes';
import { until } from './support/until';

export function recoverySuite(): void {
  describe('recovery', () => {
    after(closePreviews);

    it('brings a killed engine and its preview back', async () => {
      const api = await seamscope();
      const preview = await openPreview();
      await preview.perform('output', 'depth');
      const { drawn } = await shows(preview, 'depth', ({ info }) => info.output === 'depth');
      const killed = api.engine.pid!;
      process.kill(killed, 'SIGKILL');
      await until('another engine', () => api.engine.pid !== undefined && api.engine.pid !== killed && api.engine.state === 'running');
      await shows(preview, 'depth again', (panel) => panel.drawn > drawn + 2 && panel.info.output === 'depth');
      assert.deepEqual(childProcesses('engine.js'), [api.engine.pid]);
    });

    it('restarts both helpers on demand', async () => {
      const api = await seamscope();
      const before = { engine: api.engine.pid, lint: childProcesses('lint-server.js') };
      await vscode.commands.executeCommand(Command.RestartHelpers);
      assert.equal(api.engine.state, 'running');
      assert.notEqual(api.engine.pid, before.engine);
      await until('another lint server', () => childProcesses('lint-server.js').some((pid) => !before.lint.includes(pid)));
      await shows((await seamscope()).previews[0]!, 'a picture of the new engine', () => true);
    });

    it('restarts the engine when its environment was changed', async () => {
      const api = await seamscope();
      await api.devices.refresh();
      const { pid } = api.engine;
      const change = (environment?: object) =>
        vscode.workspace.getConfiguration('seamscope').update('engine.environment', environment, vscode.ConfigurationTarget.Global);
      const listed = async () => {
        await api.devices.refresh();
        return api.devices.snapshot?.environment.variables.CUDA_VISIBLE_DEVICES;
      };
      await change({ CUDA_VISIBLE_DEVICES: '0,0' });
      await until('the variable', async () => (await listed()) === '0,0');
      assert.notEqual(api.engine.pid, pid);
      await change();
      await until('no variable', async () => (await listed()) !== '0,0');
    });

    it('brings a killed lint server back', async () => {
      const uri = demoFile('shared_image.cpp');
      await vscode.window.showTextDocument(uri, { preview: false });
      await until('diagnostics', () => diagnosticsOf(uri).length > 0);
      const [killed] = childProcesses('lint-server.js');
      assert.ok(killed, 'no lint server');
      process.kill(killed, 'SIGKILL');
      await until('another lint server', () => childProcesses('lint-server.js').some((pid) => pid !== killed));
      await until('diagnostics again', () => diagnosticsOf(uri).length > 0);
    });
  });
}
