import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../../extension/src/contributions/commands';
import { Command, ContextKey, Panel, View } from '../../../extension/src/contributions/ids';
import { manifest } from '../../../extension/src/contributions/manifest';
import { restrictedSettings } from '../../../extension/src/contributions/settings';

const root = path.resolve(__dirname, '../../..');
const packageJson = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

describe('package.json', () => {
  it.each(Object.keys(manifest))('%s equals the typed constants (else run `node scripts/generate.mjs`)', (key) => {
    expect(packageJson[key]).toEqual(JSON.parse(JSON.stringify(manifest[key as keyof typeof manifest])));
  });

  it('names files that exist', () => {
    const icons = [packageJson.icon, ...packageJson.contributes.viewsContainers.activitybar.map((c: { icon: string }) => c.icon)];
    const schemas = packageJson.contributes.jsonValidation.map((c: { url: string }) => c.url);
    expect([...icons, ...schemas].filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('activates on languages and restored panels only', () => {
    expect(packageJson.activationEvents).toContain(`onWebviewPanel:${Panel.Preview}`);
    expect(packageJson.activationEvents.filter((event: string) => !/^on(Language|WebviewPanel):/.test(event))).toEqual([]);
  });

  it('restricts the engine environment to trusted workspaces', () => {
    expect(restrictedSettings).toContain('seamscope.engine.environment');
    expect(packageJson.capabilities.untrustedWorkspaces.restrictedConfigurations).toEqual(restrictedSettings);
  });
});

describe('contributions', () => {
  it('has one entry for every command id', () => {
    expect(Object.keys(commands).sort()).toEqual(Object.values(Command).sort());
  });

  it('links in welcome content only to commands that exist', () => {
    const linked = manifest.contributes.viewsWelcome.flatMap(({ contents }) => [...contents.matchAll(/\(command:([^)]+)\)/g)].map((m) => m[1]));
    expect(linked.length).toBeGreaterThan(0);
    expect(linked.filter((id) => !(id! in commands))).toEqual([]);
  });

  it('tests only the one context key and view', () => {
    for (const { view, when } of manifest.contributes.viewsWelcome) {
      expect(view).toBe(View.Devices);
      expect(when).toMatch(new RegExp(`^${ContextKey.Devices.replace('.', '\\.')} == '[a-z-]+'$`));
    }
  });

  it('puts menu items only on commands that exist', () => {
    const used = Object.values(manifest.contributes.menus)
      .flat()
      .map((item) => item.command);
    expect(used.filter((id) => !(id in commands))).toEqual([]);
  });
});
