/** Where hubs listen: the rule of docs/publisher-protocol.md, as the native hub and the publishers follow it. */
export function publisherFolder(env: Readonly<Record<string, string | undefined>>, uid: number): string {
  const runtime = env.XDG_RUNTIME_DIR;
  return runtime?.startsWith('/') ? `${runtime.replace(/\/+$/, '')}/seamscope` : `/tmp/seamscope-${uid}`;
}
