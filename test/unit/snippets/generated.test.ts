import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, sources } from './tools';

interface Region {
  prefix: string;
  description: string;
  placeholders: string[];
  lines: string[];
}
interface Snippet {
  prefix: string;
  description: string;
  body: string[];
}

// Variables keep TypeScript from asking for declarations of plain JavaScript modules.
const load = async (file: string) => import(path.join(root, file));
const { generateSnippets } = await load('scripts/generate-snippets.mjs');
const { readLanguages, languages, maxLines } = await load('scripts/snippets/regions.mjs');
const all = readLanguages(sources) as Record<string, Region[]>;
const json = (language: string): Record<string, Snippet> => JSON.parse(readFileSync(path.join(root, `snippets/${language}.json`), 'utf8'));

/** What the editor inserts when the user accepts every default: the inverse of the generator, written from VS Code's snippet grammar. */
function expand(body: string[], indent: number): string[] {
  const defaults = new Map<string, string>();
  const text = body.map((line) =>
    line.replace(/\\([\\$}])|\$\{(\d+)(?::([^}]*))?\}|\$0/g, (_, escaped, tabstop, value) => {
      if (escaped) return escaped;
      if (value !== undefined) defaults.set(tabstop, value);
      return tabstop ? (defaults.get(tabstop) ?? '?') : '';
    }),
  );
  return text.map((line) => line.replace(/^\t+/, (tabs) => ' '.repeat(tabs.length * indent)));
}

describe('generated snippet files', () => {
  it.each([...generateSnippets()] as [string, string][])(
    '%s is what the sources say (else run `node scripts/generate-snippets.mjs`)',
    (file, text) => {
      expect(existsSync(path.join(root, file)) && readFileSync(path.join(root, file), 'utf8')).toBe(text);
    },
  );

  describe.each(Object.keys(languages))('%s', (language) => {
    it.each(all[language]!.map((region) => [region.prefix, region] as const))('%s expands to its source', (prefix, region) => {
      const body = json(language)[prefix]!.body;
      expect(body.at(-1)).toBe('$0');
      expect(expand(body.slice(0, -1), languages[language])).toEqual(region.lines);
      expect(body.length).toBeLessThanOrEqual(maxLines + 1);
    });

    it('says in a description what a snippet needs', () => {
      for (const { description } of Object.values(json(language))) expect(description).toMatch(/^\S.{20,}\.$/);
    });

    it('names in a description only snippets that exist', () => {
      const known = new Set(Object.values(all).flatMap((regions) => regions.map((region) => region.prefix)));
      const named = Object.values(json(language)).flatMap((snippet) => [
        ...`${snippet.description} ${snippet.body.join(' ')}`.matchAll(/seam-[a-z0-9-]+/g),
      ]);
      expect(named.map(([name]) => name).filter((name) => !known.has(name))).toEqual([]);
    });
  });
});

describe('escapes', () => {
  it('keeps dollars and backslashes apart from placeholders', async () => {
    const { toSnippet } = await load('scripts/snippets/render.mjs');
    const lines = ['if cost:', '    print("$name\\n", name, f"{name}")'];
    const region = { prefix: 'seam-a', description: 'A', placeholders: ['name'], lines, headers: [], includes: [], file: '' };
    const { body } = toSnippet(region, 'python');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code's placeholders look like JavaScript's.
    expect(body).toEqual(['if cost:', '\tprint("\\$${1:name}\\\\n", ${1}, f"{${1}}")', '$0']);
    expect(expand(body.slice(0, -1), 4)).toEqual(lines);
  });
});

describe('malformed sources', () => {
  it.each([
    ['no-end.hpp', 'has no end'],
    ['bad-begin.hpp', 'expected: snippet: begin'],
    ['unknown-placeholder.hpp', 'does not contain its placeholder'],
    ['stray-end.hpp', 'outside of a region'],
    ['too-long.hpp', 'do not fit an editor pop-up'],
  ])('%s: %s', async (name, problem) => {
    const { readRegions } = await load('scripts/snippets/regions.mjs');
    expect(() => readRegions(path.join(__dirname, 'malformed', name))).toThrow(problem);
  });
});
