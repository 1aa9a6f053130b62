// Makes a case smaller while it shows the same fault.
import type { Case } from './cases';

/** `isSame` tries a case; `until` is a time of `performance.now()`. */
export async function minimised(found: Case, isSame: (tried: Case) => Promise<boolean>, until: number): Promise<Case> {
  if (found.kind === 'edits') {
    const versions = await shrunk(found.versions, (parts) => isSame({ ...found, versions: [...parts] }), until);
    return { ...found, versions };
  }
  const original = found.kind === 'bytes' ? Buffer.from(found.bytes).toString('latin1') : found.text;
  const rebuilt = (text: string): Case => (found.kind === 'bytes' ? { ...found, bytes: Buffer.from(text, 'latin1') } : { ...found, text });
  const holds = (parts: readonly string[]) => isSame(rebuilt(parts.join('')));
  const lines = await shrunk(original.split(/(?<=\n)/), holds, until);
  const words = await shrunk(lines.join('').split(/\b/), holds, until);
  const letters = words.join('').length < 2000 ? await shrunk(words.join('').split(''), holds, until) : words;
  return rebuilt(letters.join(''));
}

/** Leaves out larger and smaller runs of parts as long as what is left `holds`. */
async function shrunk(parts: readonly string[], holds: (parts: readonly string[]) => Promise<boolean>, until: number): Promise<string[]> {
  let left = [...parts];
  for (let size = left.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < left.length && performance.now() < until; ) {
      const without = [...left.slice(0, at), ...left.slice(at + size)];
      if (without.length > 0 && (await holds(without))) left = without;
      else at += size;
    }
  }
  return left;
}
