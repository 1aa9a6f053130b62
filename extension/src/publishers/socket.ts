/** Where the programs of a window publish. The name stays the same when the window is reloaded, so that its terminals keep working. */
import { createHash } from 'node:crypto';

import { publisherFolder } from '../../../helper/protocol/publisher-folder';

/** `workspace` is what the window has open: a workspace file or a folder; windows with nothing open share a name. */
export function socketName(workspace: string | undefined): string {
  return `window-${createHash('sha256')
    .update(workspace ?? '')
    .digest('hex')
    .slice(0, 16)}`;
}

/** As the engine finds it: docs/publisher-protocol.md. */
export function socketPath(name: string, env: NodeJS.ProcessEnv, uid: number): string {
  return `${publisherFolder(env, uid)}/${name}.sock`;
}
