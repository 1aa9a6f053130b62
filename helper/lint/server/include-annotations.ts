// Annotations in the project's headers: what a file includes with quotes may say what the functions do that it calls.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { annotationsOf } from '../config/annotations';
import { languageOf } from '../engine';
import { combineExtra, type ExtraKnowledge, nothingExtra } from '../knowledge/extra';
import { ChunkMemo } from '../text/chunks';
import { decode, maxBytes } from '../text/decode';

interface Entry {
  readonly extra: ExtraKnowledge;
  readonly includes: readonly string[];
}

/** Headers of headers of headers: as far as a wrapper is mostly away. */
const maxDepth = 3;
const maxHeaders = 200;

export class IncludeAnnotations {
  readonly #entries = new Map<string, Entry | undefined>();

  /** What the headers of a text say; `absolute` is the path of that text. */
  of(absolute: string, text: string, includes: readonly string[] = includesOf(text)): ExtraKnowledge {
    const seen = new Map<string, ExtraKnowledge>();
    this.#collect(absolute, includes, seen, 1);
    return combineExtra(...[...seen.values()].reverse());
  }

  /** True for a header that was looked for, found or not. */
  reads(header: string): boolean {
    return this.#entries.has(header);
  }

  /** Headers may have changed. */
  forget(): void {
    this.#entries.clear();
  }

  #collect(from: string, includes: readonly string[], seen: Map<string, ExtraKnowledge>, depth: number): void {
    for (const include of includes) {
      const header = path.resolve(path.dirname(from), include);
      if (seen.has(header) || seen.size >= maxHeaders) continue;
      const entry = this.#entry(header);
      seen.set(header, entry?.extra ?? nothingExtra);
      if (entry && depth < maxDepth) this.#collect(header, entry.includes, seen, depth + 1);
    }
  }

  #entry(header: string): Entry | undefined {
    if (!this.#entries.has(header)) this.#entries.set(header, read(header));
    return this.#entries.get(header);
  }
}

/** What successive versions of a text include. */
export class IncludeMemo {
  readonly #pieces = new ChunkMemo(includesOf);

  of(text: string): readonly string[] {
    return this.#pieces.of(text).flat();
  }
}

function includesOf(text: string): string[] {
  return [...text.matchAll(/^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"/gm)].map((match) => match[1]!);
}

function read(header: string): Entry | undefined {
  try {
    const info = statSync(header, { throwIfNoEntry: false });
    if (!info?.isFile() || info.size > maxBytes) return undefined;
    const decoded = decode(readFileSync(header));
    if ('refused' in decoded) return undefined;
    const { extra } = annotationsOf(decoded.text, languageOf(header) ?? 'cpp');
    return { extra, includes: includesOf(decoded.text) };
  } catch {
    // A header that cannot be read says nothing.
    return undefined;
  }
}
