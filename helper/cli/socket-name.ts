/** The name that SEAMSCOPE_SOCKET asks for: programs of this terminal look there, so an engine started in it listens there when nobody does yet. */
import path from 'node:path';
import process from 'node:process';

export function wantedSocketName(env: NodeJS.ProcessEnv = process.env): { name?: string } {
  const socket = env.SEAMSCOPE_SOCKET ?? '';
  const name = path.basename(socket, '.sock');
  return socket.endsWith('.sock') && /^[\w-]{1,64}$/.test(name) ? { name } : {};
}

/**
 * What to tell when the engine does not listen where SEAMSCOPE_SOCKET says, which is where programs of this terminal look: the cause and the way out.
 * Null when it does, or when nothing is asked for.
 */
export function socketRemark(socket: string, env: NodeJS.ProcessEnv = process.env): string | null {
  const wanted = env.SEAMSCOPE_SOCKET ?? '';
  if (wanted === '' || wanted === 'off' || path.resolve(wanted) === socket) return null;
  return `SEAMSCOPE_SOCKET=${wanted} is not listened at: ${whyElsewhere(wanted, socket)}. Programs of this terminal need: export SEAMSCOPE_SOCKET=${socket}`;
}

function whyElsewhere(wanted: string, socket: string): string {
  if (wantedSocketName({ SEAMSCOPE_SOCKET: wanted }).name === undefined)
    return 'the name of a socket is letters, digits, "-" or "_", at most 64, then ".sock"';
  const folder = path.dirname(socket);
  if (path.dirname(path.resolve(wanted)) !== folder) return `sockets lie in ${folder}, which is made for this user alone`;
  return 'another engine listens there already, the one of an editor perhaps';
}
