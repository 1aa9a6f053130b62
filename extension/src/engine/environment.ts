/** VS Code's own Node runs the engine. What VS Code set for itself must not reach a driver's child processes. */
export function engineEnvironment(base: NodeJS.ProcessEnv, changes: Readonly<Record<string, string | null>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(base).filter(([name]) => !name.startsWith('VSCODE_'));
  const merged = Object.entries({ ...Object.fromEntries(inherited), ...changes, ELECTRON_RUN_AS_NODE: '1' });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
