/** Pictures as they come from the engine, made ready for a canvas. */
import type { FrameInfo } from '../../../helper/protocol/frames';
import { element } from '../shared/dom';
import type { Size } from './camera';

type Target = Size & { x: number; y: number };

/** A picture that can be drawn as often as the camera moves, until it is closed. */
export interface Decoded extends Size {
  draw(context: CanvasRenderingContext2D, target: Target): void;
  close(): void;
}

export async function decode(info: FrameInfo, bytes: ArrayBuffer): Promise<Decoded> {
  if (info.encoding === 'rgba') return new PixelPicture(new ImageData(new Uint8ClampedArray(bytes), info.width, info.height), () => {});
  const moving = info.encoding === 'jpeg' ? await decodeMoving(info, bytes) : null;
  return moving ?? new BitmapPicture(await createImageBitmap(new Blob([bytes], { type: `image/${info.encoding}` })));
}

class BitmapPicture implements Decoded {
  readonly #bitmap: ImageBitmap;

  constructor(bitmap: ImageBitmap) {
    this.#bitmap = bitmap;
  }

  get width(): number {
    return this.#bitmap.width;
  }

  get height(): number {
    return this.#bitmap.height;
  }

  draw(context: CanvasRenderingContext2D, { x, y, width, height }: Target): void {
    context.drawImage(this.#bitmap, x, y, width, height);
  }

  close(): void {
    this.#bitmap.close();
  }
}

class PixelPicture implements Decoded {
  readonly #pixels: ImageData;
  readonly #release: () => void;

  constructor(pixels: ImageData, release: () => void) {
    this.#pixels = pixels;
    this.#release = release;
  }

  get width(): number {
    return this.#pixels.width;
  }

  get height(): number {
    return this.#pixels.height;
  }

  draw(context: CanvasRenderingContext2D, { x, y, width, height }: Target): void {
    if (width === this.width && height === this.height) {
      context.putImageData(this.#pixels, x, y);
      return;
    }
    // The camera has moved: until the next picture comes, this one is stretched.
    const canvas = element('canvas');
    canvas.width = this.width;
    canvas.height = this.height;
    canvas.getContext('2d')!.putImageData(this.#pixels, 0, 0);
    context.drawImage(canvas, x, y, width, height);
  }

  close(): void {
    this.#release();
  }
}

/** Arrays go from picture to picture: the browser would free them late. */
const spare: Uint8ClampedArray<ArrayBuffer>[] = [];
const MOST_SPARE = 3;
let canDecode = typeof ImageDecoder === 'function';

/**
 * Without a Blob, whose bytes go to another process and back, and without the images of a browser, which it frees late. Null where it cannot
 * be done.
 */
async function decodeMoving({ width, height }: FrameInfo, bytes: ArrayBuffer): Promise<Decoded | null> {
  if (!canDecode) return null;
  const decoder = new ImageDecoder({ data: bytes, type: 'image/jpeg' });
  try {
    const { image } = await decoder.decode();
    const array = takeArray(width * height * 4);
    await image.copyTo(array, { format: 'RGBA' }).finally(() => image.close());
    return new PixelPicture(new ImageData(array, width, height), () => giveArray(array));
  } catch {
    canDecode = false;
    return null;
  } finally {
    decoder.close();
  }
}

function takeArray(bytes: number): Uint8ClampedArray<ArrayBuffer> {
  const at = spare.findIndex(({ length }) => length === bytes);
  return at < 0 ? new Uint8ClampedArray(bytes) : spare.splice(at, 1)[0]!;
}

function giveArray(array: Uint8ClampedArray<ArrayBuffer>): void {
  spare.push(array);
  if (spare.length > MOST_SPARE) spare.shift();
}
