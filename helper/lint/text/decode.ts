// Bytes to text. Refuses what is no source text, with the reason.

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin-1';
export type Decoded = { readonly text: string; readonly encoding: Encoding } | { readonly refused: string };

/** Larger files are generated or vendored; linting them would drown the rest. */
export const maxBytes = 2 * 1024 * 1024;

export function decode(bytes: Uint8Array, limit = maxBytes): Decoded {
  if (bytes.length > limit) return { refused: tooLarge(bytes.length, limit) };
  if (bytes.length >= 4 && isWide32(bytes)) return { refused: 'it is UTF-32, which is not read: save it as UTF-8' };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: as('utf-16le', bytes), encoding: 'utf-16le' };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { text: as('utf-16be', bytes), encoding: 'utf-16be' };
  if (isUnmarked(bytes)) return { refused: 'it is UTF-16 without its mark, which is not read: save it as UTF-8' };
  if (isBinary(bytes)) return { refused: 'it is a binary file, not source text: name it under "ignore" in seamscope.json' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' };
  } catch {
    return { text: as('latin1', bytes), encoding: 'latin-1' };
  }
}

/** Writes texts in the way in which `original` was read, its byte order mark included. Undefined when that would change more than the text. */
export function encoderLike(
  original: Uint8Array,
  decoded: { readonly text: string; readonly encoding: Encoding },
): ((text: string) => Uint8Array) | undefined {
  const { encoding } = decoded;
  const mark = encoding === 'utf-8' && original[0] === 0xef && original[1] === 0xbb && original[2] === 0xbf ? '\ufeff' : '';
  const encode = (text: string) => (encoding === 'utf-8' ? new TextEncoder().encode(mark + text) : wide(text, encoding));
  const again = encode(decoded.text);
  const isExact = again.length === original.length && again.every((byte, i) => byte === original[i]);
  return isExact ? encode : undefined;
}

function wide(text: string, encoding: Encoding): Uint8Array {
  if (encoding === 'latin-1') return Uint8Array.from(text, (c) => c.charCodeAt(0) & 0xff);
  const units = new DataView(new ArrayBuffer(text.length * 2 + 2));
  const isLittle = encoding === 'utf-16le';
  units.setUint16(0, 0xfeff, isLittle);
  for (let i = 0; i < text.length; i++) units.setUint16(i * 2 + 2, text.charCodeAt(i), isLittle);
  return new Uint8Array(units.buffer);
}

export function tooLarge(size: number, limit = maxBytes): string {
  const mib = (n: number) => (n / (1024 * 1024)).toFixed(1);
  return `it has ${mib(size)} MiB, more than the ${mib(limit)} MiB that are linted: split it, or name it under "ignore" in seamscope.json`;
}

/** The byte order mark of UTF-32; that of UTF-16 is its beginning. */
function isWide32([a, b, c, d]: Uint8Array): boolean {
  return (a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff);
}

/** Text in Latin letters, of which every second byte is zero. */
function isUnmarked(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 64);
  return head.length >= 8 && [0, 1].some((zero) => head.every((byte, i) => (i % 2 === zero ? byte === 0 : byte >= 9 && byte < 127)));
}

function as(encoding: string, bytes: Uint8Array): string {
  return new TextDecoder(encoding).decode(bytes);
}

/** A NUL or many control characters near the start mean that this is no text in any encoding we read. */
function isBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 8192);
  let control = 0;
  for (const byte of head) {
    if (byte === 0) return true;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13) control++;
  }
  return control * 10 > head.length;
}
