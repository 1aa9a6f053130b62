// Patterns of paths, as in .gitignore: `third_party/**`, `*.generated.cu`, `build/`, `!src/kept.cpp`.

/** Says of a path, relative and with `/`, whether the patterns match it; a later pattern overrides an earlier one. */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const parsed = patterns.map((pattern) => {
    const negated = pattern.startsWith('!');
    return { negated, regex: toRegex(negated ? pattern.slice(1) : pattern) };
  });
  return (path) => {
    let matched = false;
    for (const { negated, regex } of parsed) if (regex.test(path)) matched = !negated;
    return matched;
  };
}

/** A pattern without a slash inside matches at any depth; everything below a matched folder is matched. */
function toRegex(pattern: string): RegExp {
  const bare = pattern.replace(/^\.?\//, '').replace(/\/+$/, '');
  const anchored = bare.includes('/') || /^\.?\//.test(pattern);
  return new RegExp(`^${anchored ? '' : '(?:.*/)?'}${translate(bare)}(?:/.*)?$`);
}

const wildcards: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' };

/** Braces that do not pair are taken as they are. */
function translate(glob: string): string {
  const braces = /^[^{}]*(?:\{[^{}]*\}[^{}]*)*$/.test(glob);
  let inside = false;
  return glob.replace(/\*\*\/|\*\*|\*|\?|\[[^\]/]+\]|[\s\S]/g, (part) => {
    if (wildcards[part]) return wildcards[part];
    if (part.length > 1) return part.replace(/^\[!/, '[^').replace(/\\/g, '\\\\');
    if (braces && /[{}]/.test(part)) inside = part === '{';
    if (braces && part === '{') return '(?:';
    if (braces && part === '}') return ')';
    if (inside && part === ',') return '|';
    return part.replace(/[.+^$()|\\[\]{}]/g, '\\$&');
  });
}
