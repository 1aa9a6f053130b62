// Python: a head that does not parse, such as `def f()` without its colon, leaves the lines below it to no function, and no rule sees them.
import type { FileFacts } from '../facts/index';
import { mayTouchSeam } from '../text/prefilter';

export interface LostFunction {
  readonly name: string;
  /** Of the name. */
  readonly start: number;
}

/** The functions, by what is written, that have lines about the seam which no function of the facts has. In order of the source. */
export function lostFunctions(file: FileFacts): LostFunction[] {
  if (!file.functions.some(({ kind, degraded }) => kind === 'module' && degraded === 'syntax')) return [];
  const found = new Map<number, LostFunction>();
  const heads: Head[] = [];
  const isInFunction = functionsOf(file);
  for (const { indent, offset, text } of codeLines(file.text)) {
    while (heads.length > 0 && heads.at(-1)!.indent >= indent) heads.pop();
    const def = /^(?:async\s+)?def\s+(\w+)/d.exec(text);
    if (def) heads.push({ indent, name: def[1]!, start: offset + def.indices![1]![0] });
    const head = heads.at(-1);
    const isOwned = isInFunction(offset);
    if (head && head.indent < indent && !isOwned && mayTouchSeam(text)) found.set(head.start, head);
  }
  return [...found.values()];
}

interface Head extends LostFunction {
  readonly indent: number;
}

interface Line {
  readonly indent: number;
  /** Of its first character that is no blank. */
  readonly offset: number;
  readonly text: string;
}

/** Without comments and long strings. */
function* codeLines(source: string): Generator<Line> {
  const code = source.replace(/"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)/g, (long) => long.replace(/[^\n]/g, ' '));
  for (const match of code.matchAll(/^([ \t]*)([^\s#][^\n]*)/gm)) {
    const [, blanks = '', text = ''] = match;
    yield { indent: blanks.length, offset: match.index + blanks.length, text };
  }
}

/** To be asked of offsets in their order. */
function functionsOf({ functions }: FileFacts): (offset: number) => boolean {
  const spans = functions.filter(({ kind }) => kind !== 'module').map(({ span: { start, end } }) => ({ start, end }));
  spans.sort((a, b) => a.start - b.start);
  let next = 0;
  let end = 0;
  return (offset) => {
    for (; next < spans.length && spans[next]!.start <= offset; next++) end = Math.max(end, spans[next]!.end);
    return offset < end;
  };
}
