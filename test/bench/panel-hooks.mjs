// Runs in every frame of the workbench's page, before any script of it: notes when pictures of a preview are on its canvas. Only what a
// browser offers to every page is looked at, so that the extension under test is the one that users have.
export function notePictures() {
  let current = null;
  const frames = new WeakMap();
  const drawn = [];
  window.__pictures = drawn;
  const isPicture = ({ data }) => data?.method === 'picture' && data.params?.stream === 'main';
  const listen = window.addEventListener;
  window.addEventListener = function (type, listener, ...rest) {
    if (type !== 'message' || typeof listener !== 'function') return listen.call(this, type, listener, ...rest);
    const noting = (event) => {
      current = isPicture(event) ? { ...event.data.params.info, arrivedAt: performance.now() } : null;
      // Raw pixels are drawn as they come.
      if (current?.encoding === 'rgba') frames.set(event.data.params.bytes, { ...current, decodedAt: current.arrivedAt });
      listener(event);
      current = null;
    };
    return listen.call(this, type, noting, ...rest);
  };
  const decoded = (info, image) => info && frames.set(image, { ...info, decodedAt: performance.now() });
  const decode = window.createImageBitmap;
  window.createImageBitmap = (...args) => {
    const info = current;
    return decode.call(window, ...args).then((bitmap) => {
      decoded(info, bitmap);
      return bitmap;
    });
  };
  const { decode: decodeFrame } = window.ImageDecoder?.prototype ?? {};
  if (decodeFrame) {
    window.ImageDecoder.prototype.decode = function (...args) {
      const info = current;
      return decodeFrame.apply(this, args).then((result) => {
        decoded(info, result.image);
        return result;
      });
    };
    const { copyTo } = VideoFrame.prototype;
    VideoFrame.prototype.copyTo = function (to, ...rest) {
      const info = frames.get(this);
      return copyTo.call(this, to, ...rest).then((result) => {
        decoded(info, to.buffer);
        return result;
      });
    };
  }
  const note = (bitmap) => {
    const info = frames.get(bitmap);
    if (!info) return;
    frames.delete(bitmap);
    const { producedAt, sequence, frame, dropped, times, arrivedAt, decodedAt, lossless } = info;
    // Wall clock, as the only one that both processes read.
    const wall = (at) => performance.timeOrigin + at;
    drawn.push({
      producedAt,
      sequence,
      frame,
      dropped,
      times,
      lossless,
      arrivedAt: wall(arrivedAt),
      decodedAt: wall(decodedAt),
      at: wall(performance.now()),
    });
  };
  const draw = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (image, ...rest) {
    draw.call(this, image, ...rest);
    note(image);
  };
  const put = CanvasRenderingContext2D.prototype.putImageData;
  CanvasRenderingContext2D.prototype.putImageData = function (image, ...rest) {
    put.call(this, image, ...rest);
    note(image.data.buffer);
  };
  const transfer = ImageBitmapRenderingContext.prototype.transferFromImageBitmap;
  ImageBitmapRenderingContext.prototype.transferFromImageBitmap = function (bitmap) {
    transfer.call(this, bitmap);
    if (bitmap) note(bitmap);
  };
}
