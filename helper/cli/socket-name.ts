/** The name that SEAMSCOPE_SOCKET asks for: programs of this terminal look there, so an engine started in it listens there when nobody does yet. */
import path from 'node:path';
import process from 'node:process';

export function wantedSocketName(env: NodeJS.ProcessEnv = process.env): { name?: string } {
  const socket = env.SEAMSCOPE_SOCKET ?? '';
  const name = path.basename(socket, '.sock');
  return socket.endsWith('.sock') && /^[\w-]{1,64}$/.test(name) ? { name } : {};
}
