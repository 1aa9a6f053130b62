/**
 * # metal/arc-raw-memory
 *
 * ## What it does
 * Reports memory from `malloc`, `calloc` or a relative, or the bytes of a buffer or data object, for a struct that holds managed object
 * pointers, in a file under ARC.
 *
 * ## Why is this bad
 * ARC releases the old value before it stores a new one. In raw memory the old value is garbage, and the first assignment crashes; with
 * zeroed memory `free` forgets to release. The compiler does not warn in C++, since the cast hides it.
 *
 * ## Example
 * ```objective-cpp
 * #import <Metal/Metal.h>
 * struct Frame {
 *     id<MTLTexture> target;
 *     uint32_t width;
 * };
 * Frame* make(void) { return (Frame*)malloc(sizeof(Frame)); }
 * ```
 *
 * ## Use instead
 * ```objective-cpp
 * #import <Metal/Metal.h>
 * struct Frame {
 *     id<MTLTexture> target;
 *     uint32_t width;
 * };
 * Frame* make(void) { return new Frame{}; }  // every id starts as nil, delete releases
 * ```
 *
 * ## What it cannot see
 * This is a heuristic over tokens: Objective-C++ has no syntax tree here. Structs that other files define are unknown. A file with
 * `[x release]` or `[x retain]` counts references by hand and is left alone, and so is metal-cpp.
 */
import { sizedTypes } from '../../analyses/objc-memory';
import { callsOf, declaredType, isManual, managedRecords, recordsOf } from '../../analyses/objc-tokens';
import type { Token } from '../../facts/index';
import { defineRule } from '../rule';

export const rule = defineRule<{ call: string; struct: string; field: string }>({
  meta: {
    id: 'metal/arc-raw-memory',
    summary: 'A struct with managed object pointers lives in memory from malloc under ARC.',
    severity: 'warning',
    tier: 'A',
    precision: 'likely',
    fix: 'none',
    languages: ['objc'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ call, struct, field }) {
    const first = zeroing.test(call) ? '' : 'the first assignment releases garbage, and ';
    return `\`${call}\` gives raw bytes for \`${struct}\`, whose \`${field}\` belongs to ARC: ${first}freeing it releases nothing. Use \`new ${struct}{}\` and \`delete\`.`;
  },

  detect(file, report) {
    if (isManual(file)) return;
    const records = recordsOf(file);
    const managed = managedRecords(file, records);
    if (managed.size === 0) return;
    for (const { token, index, open } of callsOf(file.tokens, allocators)) {
      if (token.text === 'new' && file.tokens[index - 1]?.text !== 'operator') continue;
      const types = [...sizedTypes(file.tokens, open, records), ...namedTypes(file.tokens, token, open), castTarget(file.tokens, index)];
      const struct = types.find((each) => each !== undefined && managed.has(each));
      if (!struct || isConstructed(file.tokens, struct)) continue;
      const field = managed.get(struct)!;
      if (zeroing.test(token.text) && isCleared(file.tokens, field.name)) continue;
      report({
        at: token,
        data: { call: token.text === 'new' ? 'operator new' : token.text, struct, field: field.name },
        related: [{ at: field, message: 'managed by ARC' }],
      });
    }
    for (const { token, struct } of bytesOfObjects(file.tokens)) {
      const field = managed.get(struct);
      if (!field || isCleared(file.tokens, field.name) || isConstructed(file.tokens, struct)) continue;
      report({ at: token, data: { call: token.text, struct, field: field.name }, related: [{ at: field, message: 'managed by ARC' }] });
    }
  },
});

const allocators =
  /^((\w+_)?(x?[mc]allocz?|z?m?alloc(0|_n|0_n|array)?|k?[zv]alloc|x?re(c?)alloc(f|_?array)?|alloca|(posix_)?memalign)|CFAllocatorAllocate|g_new0?|new)$/;
const zeroing = /(calloc|recallocarray|alloc(z|0|0_n)|zalloc|new0|mutableBytes|contents)$/;

/** `g_new(T, n)` names the type itself. */
function namedTypes(tokens: readonly Token[], { text }: Token, open: number): string[] {
  const type = text.startsWith('g_new') ? tokens[open + 1] : undefined;
  return type ? [type.text] : [];
}

/** `(T *)data.mutableBytes`, `static_cast<T*>([buffer contents])`, `T* p = buffer.contents`: bytes that an object gives. */
function bytesOfObjects(tokens: readonly Token[]): { token: Token; struct: string }[] {
  return tokens.flatMap((token, i) => {
    if (!/^(mutableBytes|contents)$/.test(token.text)) return [];
    const start = tokens.slice(0, i).findLastIndex((each) => /^[;{}=]$/.test(each.text));
    const texts = tokens.slice(start + 1, i).map((each) => each.text);
    const value = texts.join(' ');
    const cast = /^(?:return )?\( (?:struct )?(\w+) \* \)/.exec(value)?.[1] ?? /_cast < (?:struct )?(\w+) \* > \(/.exec(value)?.[1];
    const isDeclared = tokens[start]?.text === '=' && tokens[start - 2]?.text === '*' && tokens[start - 3]?.kind === 'word';
    const struct = cast ?? (isDeclared && !value.includes('(') ? tokens[start - 3]!.text : undefined);
    return struct ? [{ token, struct }] : [];
  });
}

/** `p->content = nil`: whoever frees releases first. */
function isCleared(tokens: readonly Token[], field: string): boolean {
  return tokens.some(
    (token, i) =>
      token.text === field &&
      /^(->|\.)$/.test(tokens[i - 1]?.text ?? '') &&
      tokens[i + 1]?.text === '=' &&
      /^(nil|NULL|nullptr)$/.test(tokens[i + 2]?.text ?? ''),
  );
}

/** `T` of `(T*)malloc`, `static_cast<T*>(malloc`, `T* p = malloc`. */
function castTarget(tokens: readonly Token[], index: number): string | undefined {
  const before = tokens.slice(Math.max(0, index - 6), index).map((token) => token.text);
  const text = before.join(' ');
  const cast = /\(\s*(?:struct )?(\w+) \* \)$/.exec(text)?.[1] ?? /< (?:struct )?(\w+) \* > \($/.exec(text)?.[1];
  if (cast) return cast;
  const assigned = /(\w+) =$/.exec(text)?.[1];
  return assigned && declaredType(tokens, assigned, index);
}

/** Somewhere the struct is constructed in place. */
function isConstructed(tokens: readonly Token[], struct: string): boolean {
  return tokens.some(
    (token, i) =>
      token.text === 'new' &&
      tokens[i - 1]?.text !== 'operator' &&
      tokens[i + 1]?.text === '(' &&
      tokens.slice(i, i + 12).some((each) => each.text === struct),
  );
}
