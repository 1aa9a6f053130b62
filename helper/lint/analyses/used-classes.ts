// Whether a source file uses a class that it defines.
import type { FileFacts, Span } from '../facts/index';
import { isHeader } from './static-ends';

/**
 * False for a class that a source file makes for its macros, and then uses none of them: `#define CHECK(x) Logger(x)`. What a header
 * defines, or some other file, may be used anywhere, and one that is named nowhere may be a part of something.
 */
export function isUsedClass(file: FileFacts, name: string | undefined): boolean {
  const known = name === undefined ? undefined : file.classNamed(name);
  if (!known || isHeader(file.path)) return true;
  const own = [known.span, ...file.functionsOfClass(known.name).map(({ span }) => span)];
  return isUsed(file, known.name, own, new Set());
}

function isUsed(file: FileFacts, name: string, own: readonly Span[], seen: Set<string>): boolean {
  seen.add(name);
  const isWithin = (at: number) => (span: Span) => span.start <= at && at < span.end;
  const all = [...file.text.matchAll(new RegExp(String.raw`\b${name}\b`, 'g'))].filter(({ index }) => !own.some(isWithin(index)));
  if (all.length === 0) return seen.size === 1;
  return all.some(({ index }) => {
    const macro = file.directives.find((each) => each.kind === 'define' && isWithin(index)(each.span));
    if (!macro) return true;
    return !seen.has(macro.name) && isUsed(file, macro.name, [macro.span], seen);
  });
}
