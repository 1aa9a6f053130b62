// The address that opens a folder in the served workbench, with an extension under development and perhaps a suite.
import path from 'node:path';

/** All paths are local; the workbench sees them as vscode-remote: URIs of its own server. */
export function workbenchUrl({ port, folder, extensions = [], tests, file, inspectPort }) {
  const remote = (file) => `vscode-remote://127.0.0.1:${port}${path.resolve(file)}`;
  const payload = [
    ['skipWelcome', 'true'],
    ['skipReleaseNotes', 'true'],
    ...extensions.map((extension) => ['extensionDevelopmentPath', remote(extension)]),
  ];
  if (inspectPort) payload.push(['inspect-extensions', String(inspectPort)]);
  if (file) payload.push(['openFile', remote(file)]);
  // The web workbench needs the file's extension, the desktop one does not.
  if (tests) payload.push(['extensionTestsPath', remote(path.extname(tests) ? tests : `${tests}.js`)]);
  const query = new URLSearchParams({ payload: JSON.stringify(payload) });
  if (folder) query.set('folder', path.resolve(folder));
  else query.set('ew', 'true');
  return `http://127.0.0.1:${port}/?${query}`;
}
