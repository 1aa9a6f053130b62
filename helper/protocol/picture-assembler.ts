/** Puts the chunks of a picture together again. A picture must have been announced by its `view/frame`. */
import type { FrameInfo } from './frames';
import { PacketError, type PictureChunk } from './packet';

export interface Picture {
  info: FrameInfo;
  /** Owns its exact-length buffer, so that it can be transferred. */
  bytes: Uint8Array<ArrayBuffer>;
}

interface Assembly {
  info: FrameInfo;
  bytes: Uint8Array<ArrayBuffer> | null;
  filled: number;
}

/** Announced pictures of one view that may be incomplete at once; more than any viewer grants credits for. */
const MAX_OPEN_PER_VIEW = 16;

export class PictureAssembler {
  readonly #views = new Map<number, Map<number, Assembly>>();

  /** Pictures of other views are ignored. */
  open(viewId: number): void {
    this.#views.set(viewId, new Map());
  }

  announce(info: FrameInfo): void {
    const view = this.#views.get(info.viewId);
    if (!view) return;
    if (view.size >= MAX_OPEN_PER_VIEW) throw new PacketError(`View ${info.viewId} has ${view.size} unfinished pictures.`);
    view.set(info.sequence, { info, bytes: null, filled: 0 });
  }

  /** The finished picture when this was its last chunk. Throws PacketError when chunks of one picture contradict each other. */
  add(chunk: PictureChunk): Picture | null {
    const view = this.#views.get(chunk.viewId);
    const assembly = view?.get(chunk.sequence);
    if (!view || !assembly) return null;
    const bytes = this.#place(assembly, chunk);
    if (assembly.filled < bytes.length) return null;
    view.delete(chunk.sequence);
    return { info: assembly.info, bytes };
  }

  /** The view was closed: chunks still under way are ignored. */
  forget(viewId: number): void {
    this.#views.delete(viewId);
  }

  #place(assembly: Assembly, chunk: PictureChunk): Uint8Array<ArrayBuffer> {
    assembly.bytes ??= new Uint8Array(chunk.total);
    const { bytes, filled } = assembly;
    if (chunk.total !== bytes.length || chunk.offset !== filled) {
      throw new PacketError(
        `Picture ${chunk.sequence} of view ${chunk.viewId}: chunk at ${chunk.offset} of ${chunk.total}, expected ${filled} of ${bytes.length}.`,
      );
    }
    bytes.set(chunk.bytes, filled);
    assembly.filled += chunk.bytes.length;
    return bytes;
  }
}
