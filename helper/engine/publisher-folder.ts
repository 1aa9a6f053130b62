/** Where hubs listen: the rule of docs/publisher-protocol.md, as the native hub follows it. */
import path from 'node:path';
import process from 'node:process';

export function publisherFolder(env: NodeJS.ProcessEnv = process.env, uid = process.getuid?.() ?? 0): string {
  const runtime = env.XDG_RUNTIME_DIR;
  return runtime?.startsWith('/') ? path.join(runtime, 'seamscope') : `/tmp/seamscope-${uid}`;
}
