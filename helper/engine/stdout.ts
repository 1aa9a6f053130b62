/** The engine's own stdout as a stream. After this, fd 1 is stderr for everything that is loaded later. */
import { createWriteStream, fstatSync } from 'node:fs';
import net from 'node:net';
import process from 'node:process';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import type { NativeAddon } from '../protocol/addon';
import { UserError } from './user-error';

/** Enough that a chunk fits without waiting for the reader. */
const BUFFER_BYTES = 128 * 1024;

/** Without an addon no driver is ever loaded, so fd 1 itself is safe. */
export function openPacketOutput(addon: NativeAddon | null): Writable {
  if (isatty(1))
    throw new UserError(
      'The engine speaks a binary stream on stdin and stdout, not to a terminal.',
      'Use "seamscope devices" or "seamscope preview".',
    );
  if (!addon) return process.stdout;
  const fd = addon.takeStdout();
  const kind = fstatSync(fd);
  if (!kind.isFIFO() && !kind.isSocket()) return createWriteStream('', { fd, highWaterMark: BUFFER_BYTES });
  return new net.Socket({ fd, readable: false, writable: true, writableHighWaterMark: BUFFER_BYTES } as net.SocketConstructorOpts);
}
