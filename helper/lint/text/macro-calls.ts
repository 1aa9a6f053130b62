// Three spellings of macro calls that are no C to a parser. All are rewritten in place, character for character, so that every span stays.
//
// `CHECK(x, "text", );` has an empty argument: its comma is blanked.
// `GUARDED(cuCtxPushCurrent, (context))` writes the call `cuCtxPushCurrent(context)`: the comma is blanked.
// `list_for_each(item, &list, link) {` is a loop: it is read as `while (r_each(item, &list, link)) {`, and so is one with a single statement.

const beforeEmpty = /,(?=\s*[,)])/g;
const loop = /for_?each/i;
const candidate = /^([ \t]+)(\w*for_?each\w*)[ \t]*\(/gim;

/** A macro, the name of a function of an API, and its arguments in parentheses of their own. */
const apart =
  /(\b[A-Z][A-Z0-9_]{2,}\s*\(\s*(?:\w+(?:\.|->|::))?(?:cu|cuda|hip|vk|vma|nvml|gl|egl)[A-Z]\w*\s*),(?=\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*[,)])/g;

export function plainMacroCalls(text: string): string {
  return loops(text.replace(apart, '$1 ').replace(beforeEmpty, ' '));
}

function loops(text: string): string {
  if (!loop.test(text)) return text;
  let result = '';
  let at = 0;
  for (const match of text.matchAll(candidate)) {
    const [head, indent, name] = match as unknown as [string, string, string];
    const start = match.index + indent.length;
    const body = bodyBehind(text, match.index + head.length);
    if (name.length < shortest || body === undefined || start < at) continue;
    result += `${text.slice(at, start)}while(${name.slice('while('.length).replace(/^\d/, '_')}${text.slice(start + name.length, body - 1)})`;
    at = body;
  }
  return result + text.slice(at);
}

/** `while(` and a name of one letter. */
const shortest = 7;
const longest = 400;

/** What follows the heads of functions and no loop. */
const qualifier = /^(const|noexcept|override|final|requires|try|and|or)\b/;

/** The statement behind the closing parenthesis, if a blank that can be spared stands before it. */
function bodyBehind(text: string, from: number): number | undefined {
  let depth = 1;
  for (let i = from; i < text.length && i < from + longest; i++) {
    if (text[i] === '(') depth++;
    if (text[i] !== ')' || --depth > 0) continue;
    const [, blanks, body] = /^(\s*[ \t])(\{|[A-Za-z_]\w*)/.exec(text.slice(i + 1, i + 120)) ?? [];
    return blanks && body && !qualifier.test(body) ? i + 1 + blanks.length : undefined;
  }
  return undefined;
}
