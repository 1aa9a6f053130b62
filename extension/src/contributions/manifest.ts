/** The part of package.json that is generated from the constants of this folder: see scripts/generate.mjs. */
import { CONFIG_NAME } from '../../../helper/protocol/lint';
import { commands } from './commands';
import { Panel } from './ids';
import { lintLanguages } from './languages';
import { menus } from './menus';
import { restrictedSettings, type SettingContribution, settings } from './settings';
import { snippets } from './snippets';
import { views, viewsContainers } from './views';
import { viewsWelcome } from './welcome';

const configuration = {
  title: 'Seamscope',
  properties: Object.fromEntries(
    Object.entries<SettingContribution>(settings).map(([id, { restricted: _, ...schema }], order) => [id, { ...schema, order }]),
  ),
};

export const manifest = {
  categories: ['Linters', 'Snippets', 'Visualization', 'Other'],
  keywords: ['cuda', 'vulkan', 'gpu', 'interop', 'mig'],
  icon: 'extension/media/icon.png',
  extensionKind: ['workspace'],
  capabilities: {
    untrustedWorkspaces: {
      supported: 'limited',
      description: 'Devices, preview and code checks work. Environment variables for the GPU engine that the workspace sets are ignored.',
      restrictedConfigurations: restrictedSettings,
    },
    virtualWorkspaces: {
      supported: 'limited',
      description: 'Devices and preview work. Files that are not on the disk of this machine are not checked.',
    },
  },
  // Views and commands activate the extension by themselves.
  activationEvents: [...lintLanguages.map((id) => `onLanguage:${id}`), ...Object.values(Panel).map((id) => `onWebviewPanel:${id}`)],
  contributes: {
    commands: Object.entries(commands).map(([command, { title, icon }]) => ({ command, title, category: 'Seamscope', ...(icon && { icon }) })),
    configuration,
    jsonValidation: [{ fileMatch: CONFIG_NAME, url: './extension/schemas/seamscope.schema.json' }],
    menus,
    snippets,
    views,
    viewsContainers,
    viewsWelcome,
  },
};
