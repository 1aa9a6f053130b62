// Finds preprocessor directives by lines, outside block comments.
import { comment, literal } from './literals';

export interface DirectiveLine {
  readonly name: string;
  /** What follows the name, continuation lines included. */
  readonly rest: string;
  readonly start: number;
  /** Before the line end. */
  readonly end: number;
  /** An `#ifndef X` that is an include guard: `#define X` is the next directive. */
  readonly guards: boolean;
}

const directive = /^[ \t]*#[ \t]*([A-Za-z]+)[ \t]*((?:\\\r?\n|[^\r\n])*)/gm;

export function scanDirectives(text: string): DirectiveLine[] {
  const comments = blockComments(text);
  const found: DirectiveLine[] = [];
  let comment = 0;
  for (const match of text.matchAll(directive)) {
    const start = match.index;
    while (comment < comments.length && comments[comment]![1] <= start) comment++;
    if (comment < comments.length && comments[comment]![0] < start) continue;
    found.push({ name: match[1]!, rest: match[2]!.trim(), start, end: start + match[0].length, guards: false });
  }
  return found.map((line, i) => (isGuard(line, found[i + 1]) ? { ...line, guards: true } : line));
}

function isGuard(line: DirectiveLine, next: DirectiveLine | undefined): boolean {
  if (line.name !== 'ifndef' || next?.name !== 'define') return false;
  const macro = /^\w+/.exec(line.rest)?.[0];
  return macro !== undefined && next.rest.split(/[\s(]/)[0] === macro;
}

const skipped = new RegExp(`${comment}|${literal}`, 'g');

/** Spans of block comments. Strings and line comments are skipped so that `"/*"` opens nothing. */
function blockComments(text: string): [number, number][] {
  const spans: [number, number][] = [];
  for (const match of text.matchAll(skipped)) {
    if (match[0].startsWith('/*')) spans.push([match.index, match.index + match[0].length]);
  }
  return spans;
}

/** What begins in a text could go on behind its end. */
export function endsInside(text: string): boolean {
  const last = blockComments(text).at(-1);
  const isOpen = last !== undefined && last[1] === text.length && (last[1] - last[0] < 4 || !text.endsWith('*/'));
  return isOpen || /\\\r?\n?$/.test(text);
}
