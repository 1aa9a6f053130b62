// Finds and reads seamscope.json: the nearest one upward of a file counts.
import { lstatSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { CONFIG_NAME } from '../../protocol/lint';
import { pathMatcher } from '../config/globs';
import { type Config, readConfig } from '../config/read';
import type { Range } from '../engine';
import { rules } from '../rules/registry';
import { decode } from '../text/decode';
import { LineIndex } from '../text/lines';

const maxBytes = 1024 * 1024;
const tooLarge = 'The file has more than 1 MiB and is not read. Patterns of folders under "ignore" are shorter than lists of files.';
const ruleIds = rules.map((rule) => rule.meta.id);

export interface ConfigFile {
  readonly file: string;
  readonly config: Config;
  readonly problems: readonly (Range & { readonly message: string })[];
  /** A path below the file's folder, as patterns name it. */
  relative(absolute: string): string;
  ignores(absolute: string): boolean;
}

export class ConfigFiles {
  readonly #byFolder = new Map<string, ConfigFile | undefined>();

  /** `open` gives the text of a file that an editor has open. */
  constructor(private readonly open: (file: string) => string | undefined = () => undefined) {}

  /** The configuration of a file by its absolute path. */
  nearest(absolute: string): ConfigFile | undefined {
    return this.#ofFolder(path.dirname(absolute));
  }

  /** What is on disk or in the editor has changed. */
  forget(): void {
    this.#byFolder.clear();
  }

  /** Those that were read, once each. */
  get known(): readonly ConfigFile[] {
    return [...new Set(this.#byFolder.values())].filter((each) => each !== undefined);
  }

  #ofFolder(folder: string): ConfigFile | undefined {
    if (this.#byFolder.has(folder)) return this.#byFolder.get(folder);
    const parent = path.dirname(folder);
    const found = this.#read(path.join(folder, CONFIG_NAME)) ?? (parent === folder ? undefined : this.#ofFolder(parent));
    this.#byFolder.set(folder, found);
    return found;
  }

  #read(file: string): ConfigFile | undefined {
    const text = this.open(file) ?? this.#fromDisk(file);
    if (text === undefined) return undefined;
    if (typeof text === 'object') return configFile(file, '', [{ line: 1, column: 1, endLine: 1, endColumn: 1, message: text.problem }]);
    return configFile(file, text, []);
  }

  #fromDisk(file: string): string | { readonly problem: string } | undefined {
    try {
      const info = statSync(file, { throwIfNoEntry: false });
      if (!info) return isLink(file) ? { problem: 'This link leads nowhere. Mend or remove it.' } : undefined;
      if (!info.isFile()) return { problem: `This is ${info.isDirectory() ? 'a folder' : 'no file'}. Give it another name.` };
      return info.size > maxBytes ? { problem: tooLarge } : textOf(readFileSync(file));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
      // The name of a source file may just fit into what the system takes where this one does not.
      if (code === 'ENAMETOOLONG') return undefined;
      if (code === 'ELOOP') return { problem: 'This link leads to itself. Mend or remove it.' };
      return { problem: `The file cannot be read (${code}). Check its permissions.` };
    }
  }
}

function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function textOf(bytes: Buffer): string | { readonly problem: string } {
  const decoded = decode(bytes, maxBytes);
  if ('refused' in decoded) return { problem: `The file is not read: ${decoded.refused}.` };
  return decoded.encoding === 'latin-1' ? { problem: 'The file is not UTF-8. Save it as UTF-8.' } : decoded.text;
}

function configFile(file: string, text: string, known: ConfigFile['problems']): ConfigFile {
  const { config, problems } = readConfig(known.length > 0 ? '{}' : text, ruleIds);
  const lines = new LineIndex(text);
  const placed = problems.map(({ span, message }) => {
    const from = lines.at(span.start);
    const to = lines.at(span.end);
    return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column, message };
  });
  const matches = pathMatcher(config.ignore);
  const relative = (absolute: string) => path.relative(path.dirname(file), absolute).split(path.sep).join('/');
  return { file, config, problems: [...known, ...placed], relative, ignores: (absolute) => matches(relative(absolute)) };
}
