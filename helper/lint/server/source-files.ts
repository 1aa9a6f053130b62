// Source files that no editor has open: their text, and how they are to be checked.
import { readFileSync } from 'node:fs';
import { languageOf } from '../engine';
import { combineExtra, type ExtraKnowledge, wordsOf } from '../knowledge/extra';
import { decode, maxBytes, tooLarge } from '../text/decode';
import { bytesMayTouchSeam } from '../text/prefilter';
import { type ConfigFile, ConfigFiles } from './config-files';
import { IncludeAnnotations } from './include-annotations';
import { unreadable } from './unreadable';

export interface SourceFile {
  readonly text: string;
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin-1';
  readonly bytes: Buffer;
  readonly config: ConfigFile | undefined;
  /** What configuration and annotations add to the tables. */
  readonly extra: ExtraKnowledge;
  /** Without it there is nothing to find. */
  readonly touchesSeam: boolean;
}

export class SourceFiles {
  readonly configs = new ConfigFiles();
  readonly #annotations = new IncludeAnnotations();

  /** `size` in bytes, where it is known. */
  async read(absolute: string, size = 0): Promise<SourceFile | { readonly refused: string }> {
    if (size > maxBytes) return { refused: tooLarge(size) };
    let bytes: Buffer;
    try {
      // A thread that reads for this one would cost more than the reading.
      bytes = readFileSync(absolute);
    } catch (error) {
      return { refused: unreadable(error) };
    }
    const decoded = decode(bytes);
    if ('refused' in decoded) return decoded;
    const config = this.configs.nearest(absolute);
    const isPython = languageOf(absolute) === 'python';
    const extra = combineExtra(isPython ? undefined : this.#annotations.of(absolute, decoded.text), config?.config.extra);
    return { ...decoded, bytes, config, extra, touchesSeam: bytesMayTouchSeam(bytes, wordsOf(extra)) };
  }

  /** Configuration or headers may have changed. */
  forget(): void {
    this.configs.forget();
    this.#annotations.forget();
  }
}
