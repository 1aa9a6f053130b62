// Python's `except` clauses as they are written: the facts keep where an exception may go, not its name.
import type { Call, FileFacts } from '../facts/index';

/** True when the call stands in a `try` whose handler for this exception returns or assigns something else, and raises nothing. */
export function isReplacedOn(exception: string, file: FileFacts, call: Call): boolean {
  const { fn } = call;
  if (!fn.blocks[call.block]!.edges.some((edge) => edge.kind === 'maybe')) return false;
  const before = file.source({ start: fn.span.start, end: call.span.start });
  const after = file.source({ start: call.span.end, end: fn.span.end }).split('\n').slice(1);
  const lines = after.filter((line) => /^\s*[^\s#]/.test(line));
  const at = handlerOf(exception, lines, indentOf(before.slice(before.lastIndexOf('\n') + 1)));
  if (at < 0) return false;
  const handler = bodyAt(lines, at);
  return /^\s*return\b|[^=!<>]=[^=]|:\s*return\b/m.test(handler) && !/\braise\b/.test(handler);
}

function indentOf(line: string): number {
  return /^\s*/.exec(line)![0].length;
}

/** The line of the clause around a statement with this indentation, or -1. */
function handlerOf(exception: string, lines: readonly string[], from: number): number {
  let indent = from;
  for (const [i, line] of lines.entries()) {
    const own = indentOf(line);
    if (own >= indent) continue;
    const clause = /^\s*except\b([^:]*):/.exec(line);
    if (clause && new RegExp(String.raw`\b${exception}\b`).test(clause[1]!)) return i;
    // The clauses of one `try` stand side by side.
    indent = clause ? own + 1 : own;
  }
  return -1;
}

/** The clause with its body. */
function bodyAt(lines: readonly string[], at: number): string {
  const end = lines.findIndex((line, i) => i > at && indentOf(line) <= indentOf(lines[at]!));
  return lines.slice(at, end < 0 ? undefined : end).join('\n');
}
