/**
 * # metal/unretained-export
 *
 * ## What it does
 * Reports a Metal object that Vulkan's `vkExportMetalObjectsEXT` hands out and that is kept with the wrong ownership: an own declaration
 * of an export struct whose `id` field ARC manages, or, with references counted by hand, an exported object that is stored without
 * `retain`, or a pointer to one that is taken over by `__bridge_transfer` or `CFBridgingRelease`. Also a new Metal object that only a local variable keeps alive and that leaves the function as a plain `__bridge` pointer.
 *
 * ## Why is this bad
 * The driver writes the pointer without a retain. ARC releases what it believes to own when the struct dies, so the object is released
 * once too often; without ARC a stored pointer dangles as soon as Vulkan destroys its object. A pointer by `__bridge` owns nothing: ARC
 * releases the object at the end of the function that made it.
 *
 * ## Example
 * ```objective-cpp
 * #import <Metal/Metal.h>
 * #include <vulkan/vulkan.h>
 * typedef struct ExportedTexture {
 *     VkStructureType sType;  // VK_STRUCTURE_TYPE_EXPORT_METAL_TEXTURE_INFO_EXT
 *     const void* pNext;
 *     VkImage image;
 *     id<MTLTexture> mtlTexture;
 * } ExportedTexture;
 * void fill(VkDevice device, ExportedTexture* texture) {
 *     VkExportMetalObjectsInfoEXT root = {VK_STRUCTURE_TYPE_EXPORT_METAL_OBJECTS_INFO_EXT, texture};
 *     vkExportMetalObjectsEXT(device, &root);
 * }
 * ```
 *
 * ## Use instead
 * ```objective-cpp
 * #import <Metal/Metal.h>
 * #include <vulkan/vulkan.h>
 * typedef struct ExportedTexture {
 *     VkStructureType sType;
 *     const void* pNext;
 *     VkImage image;
 *     __unsafe_unretained id<MTLTexture> mtlTexture;  // written by C code without a retain
 * } ExportedTexture;
 * id<MTLTexture> fill(VkDevice device, ExportedTexture* texture) {
 *     VkExportMetalObjectsInfoEXT root = {VK_STRUCTURE_TYPE_EXPORT_METAL_OBJECTS_INFO_EXT, texture};
 *     vkExportMetalObjectsEXT(device, &root);
 *     return texture->mtlTexture;  // ARC retains what it stores
 * }
 * ```
 *
 * ## What it cannot see
 * This is a heuristic over tokens. It knows export structs by `VkStructureType` and the word ExportMetal in the file, and stored objects by
 * the spelling of fields (`_x`, `x_`, `m_x`, `self->x`, `self.x`); a retain anywhere in the same body counts. A new object that is also
 * handed to anything else may be kept alive there.
 */
import { lostBridges } from '../../analyses/objc-bridges';

import { bodyAt, isManaged, isManual, recordsOf } from '../../analyses/objc-tokens';
import { wrongTransfers } from '../../analyses/objc-transfers';
import type { FileFacts, Token } from '../../facts/index';
import { defineRule } from '../rule';

export const rule = defineRule<{ field: string; why: 'managed' | 'stored' | 'bridged' | 'transferred' }>({
  meta: {
    id: 'metal/unretained-export',
    summary: 'A Metal object that crosses an API as a pointer is kept with the wrong ownership.',
    severity: 'error',
    tier: 'A',
    precision: 'likely',
    fix: 'none',
    languages: ['objc'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ field, why }) {
    if (why === 'managed')
      return `ARC manages \`${field}\`, but the driver writes it without a retain: when the struct dies, the object is released once too often. Declare it \`__unsafe_unretained\` and copy it to a strong variable.`;
    if (why === 'bridged')
      return `\`${field}\` leaves the function as a plain pointer that owns nothing, and ARC releases the new object at the end of the function: the pointer dangles. Hand over one reference with __bridge_retained and release it with CFRelease or __bridge_transfer.`;
    if (why === 'transferred')
      return `\`${field}\` is exported without a retain, and this takes over a reference that nobody gave: the object is released once too often. Use __bridge; a strong variable retains it by itself.`;
    return `\`${field}\` keeps an exported Metal object without a retain: it dangles once Vulkan destroys its own. Retain it here and release it at the end.`;
  },

  detect(file, report) {
    const isCounted = isManual(file);
    for (const { at, name, made } of isCounted ? [] : lostBridges(file))
      report({ at, data: { field: name, why: 'bridged' }, related: made.text === name ? [] : [{ at: made, message: 'made here, with one owner' }] });
    for (const { at, name } of wrongTransfers(file)) report({ at, data: { field: name, why: 'transferred' } });
    if (!file.tokens.some((token) => /ExportMetal|EXPORT_METAL/.test(token.text))) return;
    if (isCounted) {
      for (const { token, field } of storedWithoutRetain(file)) report({ at: token, data: { field, why: 'stored' } });
      return;
    }
    for (const record of recordsOf(file)) {
      const type = record.fields.find((field) => field.tokens.some((token) => token.text === 'VkStructureType'));
      const managed = type && record.fields.find((field) => isManaged(field));
      if (managed)
        report({ at: managed, data: { field: managed.name, why: 'managed' }, related: [{ at: type, message: 'a struct that Vulkan fills' }] });
    }
    for (const { token, field } of storedUnretained(file)) report({ at: token, data: { field, why: 'stored' } });
  },
});

interface Stored {
  readonly token: Token;
  readonly field: string;
}

const exported = /^mtl(Device|CommandQueue|Buffer|Texture|SharedEvent)$/;

/** `_texture = info.mtlTexture;` and the like: the assigned field and the place. */
function* stores(file: FileFacts): Generator<Stored & { readonly index: number; readonly target: string }> {
  const { tokens } = file;
  for (const [i, token] of tokens.entries()) {
    if (!exported.test(token.text) || !/^(\.|->)$/.test(tokens[i - 1]?.text ?? '') || tokens[i + 1]?.text !== ';') continue;
    const equals = tokens.slice(Math.max(0, i - 10), i).findLastIndex((each) => each.text === '=');
    if (equals < 0) continue;
    const at = Math.max(0, i - 10) + equals;
    const target = tokens[at - 1];
    if (!target) continue;
    const before = tokens[at - 2];
    const isField = /^(->|\.)$/.test(before?.text ?? '') || /^(_\w+|m_\w+|g_\w+|\w+_)$/.test(target.text);
    const isDeclared = /^[*>]$/.test(before?.text ?? '') || before?.kind === 'word';
    if (isField && !isDeclared && target.kind === 'word') yield { token: target, field: target.text, index: i, target: target.text };
  }
}

/** With references counted by hand: no retain in the body that stores. */
function* storedWithoutRetain(file: FileFacts): Generator<Stored> {
  for (const { token, field, index } of stores(file)) {
    const body = bodyAt(file, index);
    const inside = body ? file.tokens.slice(body.from, body.to) : [];
    if (body && !inside.some((each) => /^(retain|CFRetain|CFBridgingRetain|strong)$/.test(each.text))) yield { token, field };
  }
}

/** Under ARC: the field or property is declared `__unsafe_unretained` or `assign`. */
function* storedUnretained(file: FileFacts): Generator<Stored> {
  const { tokens } = file;
  for (const { token, field, target } of stores(file)) {
    const name = target.replace(/^_/, '');
    const isWeakly = tokens.some((each, i) => {
      if (each.text !== target && each.text !== name) return false;
      if (tokens[i + 1]?.text !== ';') return false;
      const start = tokens.slice(0, i).findLastIndex((other) => /^[;{}]$/.test(other.text)) + 1;
      const words = tokens.slice(start, i).map((other) => other.text);
      return words.includes('id') && words.some((word) => /^(__unsafe_unretained|assign|unsafe_unretained)$/.test(word));
    });
    if (isWeakly) yield { token, field };
  }
}
