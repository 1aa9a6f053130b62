/**
 * # metal/arc-memset
 *
 * ## What it does
 * Reports `memset`, `bzero`, `memcpy` or `memmove` over a struct that holds managed object pointers, in a file under ARC.
 *
 * ## Why is this bad
 * The bytes of a strong reference belong to ARC: overwriting them leaks the object, copying them makes two owners of one reference, and
 * the second release crashes.
 *
 * ## Example
 * ```objective-cpp
 * #import <Metal/Metal.h>
 * struct Frame {
 *     id<MTLTexture> target;
 *     uint32_t width;
 * };
 * void reset(Frame* frame) { memset(frame, 0, sizeof(Frame)); }
 * ```
 *
 * ## Use instead
 * ```objective-cpp
 * #import <Metal/Metal.h>
 * struct Frame {
 *     id<MTLTexture> target;
 *     uint32_t width;
 * };
 * void reset(Frame* frame) { *frame = Frame{}; }  // ARC releases the old target
 * ```
 *
 * ## What it cannot see
 * This is a heuristic over tokens: Objective-C++ has no syntax tree here. Structs that other files define are unknown, and so are sizes in
 * variables. Plain structs for the GPU may be zeroed; files that count references by hand and metal-cpp are left alone.
 */
import { pointedType, sizedTypes } from '../../analyses/objc-memory';
import { callsOf, isManual, managedRecords, recordsOf } from '../../analyses/objc-tokens';
import { defineRule } from '../rule';

export const rule = defineRule<{ call: string; struct: string; field: string }>({
  meta: {
    id: 'metal/arc-memset',
    summary: 'The bytes of a struct with managed object pointers are overwritten or copied under ARC.',
    severity: 'warning',
    tier: 'A',
    precision: 'likely',
    fix: 'none',
    languages: ['objc'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ call, struct, field }) {
    return `\`${call}\` works on the bytes of \`${struct}\`, whose \`${field}\` belongs to ARC: references are lost or doubled without a release or retain. Assign \`${struct}{}\` or the struct itself instead.`;
  },

  detect(file, report) {
    if (isManual(file)) return;
    const records = recordsOf(file);
    const managed = managedRecords(file, records);
    if (managed.size === 0) return;
    for (const { token, open } of callsOf(file.tokens, byteFunctions)) {
      const types = [...sizedTypes(file.tokens, open, records), pointedType(file.tokens, open, records)];
      const struct = types.find((each) => each !== undefined && managed.has(each));
      if (!struct) continue;
      const field = managed.get(struct)!;
      report({ at: token, data: { call: token.text, struct, field: field.name }, related: [{ at: field, message: 'managed by ARC' }] });
    }
  },
});

const byteFunctions =
  /^((__builtin_|SDL_|w|explicit_)?mem(set|cpy|move)(_s|_explicit|_chk)?|(explicit_)?bzero|bcopy|SDL_zero[pa]?|(Rtl)?(Zero|Copy|Move)Memory)$/;
