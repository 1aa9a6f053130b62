/** Saves what a preview shows, at one pixel a texel. */
import { writeFileSync } from 'node:fs';
import { type EngineClient, UserError } from '../engine/client';
import type { OutputDescription } from '../protocol/frames';
import type { Picture } from '../protocol/picture-assembler';

export interface Saved {
  file: string;
  bytes: number;
  /** The producer's frame number. */
  frame: number;
  /** 'texels': the frame's own values. 'picture': as the panel shows them, tone-mapped or in false colour. */
  content: 'texels' | 'picture';
}

/** PNG cannot hold floats or ids: such an output is saved as its picture, any other file with its own values. `step`: what to do when no picture comes. */
export async function saveFrame(client: EngineClient, viewId: number, output: OutputDescription, file: string, step: string): Promise<Saved> {
  if (file.toLowerCase().endsWith('.png') && !fitsPng(output)) return savePicture(client, viewId, output, file, step);
  const { bytes, frame } = await client.request('view/save', { viewId, file });
  return { file, bytes, frame, content: 'texels' };
}

function fitsPng({ dtype, channels }: OutputDescription): boolean {
  return (dtype === 'u8' || dtype === 'u16') && channels <= 4;
}

async function savePicture(client: EngineClient, viewId: number, { width, height }: OutputDescription, file: string, step: string): Promise<Saved> {
  const rect = { x: 0, y: 0, width, height };
  await client.request('view/update', { viewId, view: { width, height, rect, encoding: 'png' } });
  const { info, bytes } = await nextPicture(client, viewId, step, ({ info }) => info.encoding === 'png' && info.width === width);
  write(file, bytes);
  return { file, bytes: bytes.length, frame: info.frame, content: 'picture' };
}

/** Credits go out one by one until the picture fits. */
function nextPicture(client: EngineClient, viewId: number, step: string, fits: (picture: Picture) => boolean): Promise<Picture> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new UserError('No picture came to be saved.', step)), 15_000).unref();
    client.on('picture', function take(picture) {
      if (!fits(picture)) return client.grant(viewId, 1);
      clearTimeout(timer);
      client.off('picture', take);
      resolve(picture);
    });
    client.grant(viewId, 1);
  });
}

function write(file: string, bytes: Uint8Array): void {
  try {
    writeFileSync(file, bytes);
  } catch (error) {
    throw new UserError(`${file} cannot be written: ${(error as Error).message}.`, 'Choose another file with --out.');
  }
}
