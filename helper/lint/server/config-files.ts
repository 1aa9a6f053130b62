// Finds and reads seamscope.json: the nearest one upward of a file counts.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { CONFIG_NAME } from '../../protocol/lint';
import { pathMatcher } from '../config/globs';
import { type Config, readConfig } from '../config/read';
import type { Range } from '../engine';
import { rules } from '../rules/registry';
import { LineIndex } from '../text/lines';

const maxBytes = 1024 * 1024;
const ruleIds = rules.map((rule) => rule.meta.id);

export interface ConfigFile {
  readonly file: string;
  readonly config: Config;
  readonly problems: readonly (Range & { readonly message: string })[];
  /** `absolute` lies below the file's folder. */
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
    const info = statSync(file, { throwIfNoEntry: false });
    if (!info?.isFile()) return undefined;
    if (info.size > maxBytes) return { problem: 'The file has more than 1 MiB and is not read.' };
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      return { problem: `The file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).` };
    }
  }
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
  return { file, config, problems: [...known, ...placed], ignores: (absolute) => matches(relative(absolute)) };
}
