/**
 * # metal/read-before-complete
 *
 * ## What it does
 * Reports a read of a buffer's `contents`, or `getBytes:` of a texture, behind `commit` in a function with no wait for the command buffer
 * in between.
 *
 * ## Why is this bad
 * `commit` only hands the work over. Until the command buffer has completed the bytes are the old ones or half written, and on a fast
 * machine the mistake shows up rarely.
 *
 * ## Example
 * ```objective-cpp
 * #import <Metal/Metal.h>
 * void read_back(id<MTLCommandBuffer> commands, id<MTLBuffer> pixels, void* out) {
 *     [commands commit];
 *     memcpy(out, pixels.contents, pixels.length);
 * }
 * ```
 *
 * ## Use instead
 * ```objective-cpp
 * #import <Metal/Metal.h>
 * void read_back(id<MTLCommandBuffer> commands, id<MTLBuffer> pixels, void* out) {
 *     [commands commit];
 *     [commands waitUntilCompleted];
 *     memcpy(out, pixels.contents, pixels.length);
 * }
 * ```
 *
 * ## What it cannot see
 * This is a heuristic over tokens: a read is `memcpy` from `contents`, an index of it, a use of a pointer to it, or `getBytes:`. Completion handlers, events, semaphores
 * and any word with wait, sync, signal or complete between commit and read silence it. Whether the GPU wrote that very buffer is unknown.
 */
import { closing } from '../../analyses/brackets';
import { argumentsAt, type Body, bodiesOf, mayUseMetal } from '../../analyses/objc-tokens';
import type { FileFacts, Token } from '../../facts/index';
import { defineRule } from '../rule';

export const rule = defineRule<{ read: string }>({
  meta: {
    id: 'metal/read-before-complete',
    summary: 'Results are read behind commit without a wait for completion.',
    severity: 'warning',
    tier: 'A',
    precision: 'likely',
    fix: 'none',
    languages: ['objc', 'cpp'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ read }) {
    return `${read} is read behind \`commit\` with nothing in between that waits: the GPU may not have written it yet. Call waitUntilCompleted first, or read in the completion handler.`;
  },

  detect(file, report) {
    if (!mayUseMetal(file)) return;
    for (const body of bodiesOf(file)) {
      const commit = commitIn(file.tokens, body);
      if (commit < 0) continue;
      const read = readBehind(file, commit, body.to);
      if (read) report({ at: read.token, data: { read: read.what }, related: [{ at: file.tokens[commit]!, message: 'committed here' }] });
    }
  },
});

/** `[x commit]` or `x->commit()` that the body always goes through: not inside a block of its own or a branch, pools apart. */
function commitIn(tokens: readonly Token[], body: Body): number {
  const open: boolean[] = [];
  for (let i = body.from; i < body.to; i++) {
    if (tokens[i]!.text === '{') open.push(!isPool(tokens[i - 1]));
    if (tokens[i]!.text === '}') open.pop();
    if (!open.includes(true) && tokens[i]!.text === 'commit' && /^(\]|\()$/.test(tokens[i + 1]?.text ?? '')) return i;
  }
  return -1;
}

/** `@autoreleasepool {` is always gone through. */
function isPool(before: Token | undefined): boolean {
  return /^@?autoreleasepool$/.test(before?.text ?? '');
}

const orders = /wait|sync|signal|complet|handler|barrier|fence|event|finish|done|ready|idle|join|return|commandBuffer$/i;

/** Functions that read memory, and which argument they read. */
const copies: Readonly<Record<string, number>> = { memcpy: 1, memmove: 1, memcmp: 0, copy: 0, copy_n: 0, fwrite: 0, write: 1, accumulate: 0 };

/** `return ((float *)buffer.contents)[0];`, `return *(float *)[buffer contents];` */
function returnsContents(tokens: readonly Token[], at: number): boolean {
  const end = tokens.findIndex((token, i) => i > at && token.text === ';');
  const words = tokens.slice(at + 1, end).map((token) => token.text);
  if (words.some((word) => orders.test(word))) return false;
  const named = words.indexOf('contents');
  return (
    named >= 0 &&
    (words[0] === '*' ||
      words
        .slice(named + 1)
        .join('')
        .replace(/^\]?\)*/, '')
        .startsWith('['))
  );
}

/** The words of what a part of a message is given: `x` of `[NSData dataWithBytes:x length:n]`. */
function argumentOfMessage(tokens: readonly Token[], at: number): string[] {
  const end = tokens.findIndex((token, i) => i > at + 1 && token.text === ':');
  return tokens.slice(at + 1, end).map((token) => token.text);
}

function readBehind(file: FileFacts, commit: number, to: number): { token: Token; what: string } | undefined {
  const { tokens } = file;
  for (let i = commit + 1; i < to; i++) {
    const { text } = tokens[i]!;
    if (text === 'return' && returnsContents(tokens, i)) return { token: tokens[i]!, what: '`contents`' };
    if (orders.test(text)) return undefined;
    if (text === '{') i = closing(tokens, i);
    else {
      const what = readAt(tokens, i, to);
      if (what) return { token: tokens[i]!, what };
    }
  }
  return undefined;
}

function readAt(tokens: readonly Token[], at: number, to: number): string | undefined {
  const { text } = tokens[at]!;
  if (text === 'getBytes' && tokens[at + 1]?.text === ':') return '`getBytes:`';
  const contents = '`contents`';
  if (Object.hasOwn(copies, text) && tokens[at + 1]?.text === '(') {
    const source = argumentsAt(tokens, at + 1)[copies[text]!] ?? [];
    return source.some((token) => token.text === 'contents') ? contents : undefined;
  }
  if (text === 'dataWithBytes') return argumentOfMessage(tokens, at).includes('contents') ? contents : undefined;
  return text === 'contents' && (isIndexed(tokens, at) || isReadThrough(tokens, at, to)) ? contents : undefined;
}

/** `const T* p = buffer.contents;` and then `p[i]`, `*p` or `f(p, ...)` with nothing in between that waits. */
function isReadThrough(tokens: readonly Token[], at: number, to: number): boolean {
  const name = pointerTo(tokens, at);
  const end = tokens.findIndex((token, i) => i > at && token.text === ';');
  if (!name || end < 0) return false;
  for (let i = end + 1; i < to; i++) {
    const { text } = tokens[i]!;
    if (orders.test(text) && text !== 'return') return false;
    if (text === name) return isRead(tokens, i) && !isWrite(tokens, i);
  }
  return false;
}

/** The pointer variable that the statement around a place declares or sets. */
function pointerTo(tokens: readonly Token[], at: number): string | undefined {
  const start = tokens.slice(0, at).findLastIndex((token) => /^[;{}]$/.test(token.text)) + 1;
  const equals = tokens.findIndex((token, i) => i >= start && i < at && token.text === '=');
  const name = equals > start ? tokens[equals - 1]! : undefined;
  const isPointer = tokens.slice(start, Math.max(equals, start)).some((token) => token.text === '*' || token.text === 'auto');
  return isPointer && name?.kind === 'word' ? name.text : undefined;
}

/** Indexed, dereferenced, or an argument. */
function isRead(tokens: readonly Token[], at: number): boolean {
  if (tokens[at + 1]?.text === '[') return true;
  if (tokens[at - 1]?.text === '*' && /^([=(,;{}]|return)$/.test(tokens[at - 2]?.text ?? '')) return true;
  const start = tokens.slice(0, at).findLastIndex((token) => /^[;{}]$/.test(token.text)) + 1;
  const depth = tokens.slice(start, at).reduce((sum, { text }) => sum + (text === '(' ? 1 : text === ')' ? -1 : 0), 0);
  return depth > 0;
}

/** `p[i] = ...` fills the buffer for the next run. */
function isWrite(tokens: readonly Token[], at: number): boolean {
  const end = tokens.findIndex((token, i) => i > at && token.text === ';');
  const equals = tokens.findIndex((token, i) => i > at && token.text === '=');
  return equals > 0 && equals < end;
}

/** `x = ((T*)buffer.contents)[i]` on the right of an assignment. */
function isIndexed(tokens: readonly Token[], at: number): boolean {
  const end = tokens.findIndex((token, i) => i > at && /^[;[=]$/.test(token.text));
  const start = tokens.slice(0, at).findLastIndex((token) => /^[;{}]$/.test(token.text)) + 1;
  const isRight = tokens.slice(start, at).some((token) => token.text === '=');
  return isRight && tokens[end]?.text === '[';
}
