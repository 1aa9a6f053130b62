/**
 * # metal/storage-mode
 *
 * ## What it does
 * Reports `synchronizeResource:`, `synchronizeTexture:` or `didModifyRange:` on a resource with Shared storage, access by the CPU (`contents`,
 * `getBytes:`, `replaceRegion:`) to a resource with Private storage, and file descriptors for memory exchange in code for unified memory.
 *
 * ## Why is this bad
 * Shared storage is one piece of memory for CPU and GPU: there is nothing to synchronise, Metal's validation rejects the call, and without
 * validation it costs a blit. Only Managed storage has two copies. Private storage is the GPU's alone: `contents` is nil and the copy crashes,
 * or validation stops the program. Metal and MoltenVK export Metal objects, never opaque file
 * descriptors.
 *
 * ## Example
 * ```objective-cpp
 * #import <Metal/Metal.h>
 * id<MTLBuffer> make(id<MTLDevice> device) {
 *     return [device newBufferWithLength:64 options:MTLResourceStorageModeShared];
 * }
 * void read_back(id<MTLBlitCommandEncoder> blit, id<MTLBuffer> buffer) {
 *     [blit synchronizeResource:buffer];
 *     [blit endEncoding];
 * }
 * ```
 *
 * ## Use instead
 * ```objective-cpp
 * #import <Metal/Metal.h>
 * id<MTLBuffer> make(id<MTLDevice> device) {
 *     return [device newBufferWithLength:64 options:MTLResourceStorageModeShared];
 * }
 * void read_back(id<MTLBlitCommandEncoder> blit, id<MTLBuffer> buffer) {
 *     if (buffer.storageMode == MTLStorageModeManaged) [blit synchronizeResource:buffer];
 *     [blit endEncoding];
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion: the message goes. In code that also serves discrete GPUs ask for the storage mode instead. Descriptors have no fix.
 *
 * ## What it cannot see
 * This is a heuristic over tokens: the storage is that of a creation under the same name, or of all creations of a file that knows
 * nothing but Shared. Options are followed to a local or constant of their name. Arrays are followed by name only. Resources from other files and code that asks for the storage mode are left alone.
 */

import { sharedCreation } from '../../analyses/metal-creations';
import { privateAccesses } from '../../analyses/objc-private';
import { argumentsAt, bodyAt, lastWord, mayUseMetal } from '../../analyses/objc-tokens';
import type { FileFacts, Token } from '../../facts/index';
import { removeStatement } from '../edits';
import { defineRule, type Related, spanOf } from '../rule';
import { statementStart } from '../statements';

interface Data {
  readonly what: string;
  readonly message: string;
  readonly why: 'shared' | 'descriptor' | 'private';
}

export const rule = defineRule<Data>({
  meta: {
    id: 'metal/storage-mode',
    summary: 'Shared storage is synchronised, Private storage is touched by the CPU, or unified memory is exchanged by file descriptor.',
    severity: 'warning',
    tier: 'A',
    precision: 'likely',
    fix: 'suggestion',
    languages: ['objc', 'cpp'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ what, message, why }) {
    if (why === 'shared')
      return `\`${what}\` has Shared storage, one piece of memory for CPU and GPU: ${message}: is for Managed storage only and is rejected or wasted here. Drop it, or ask for storageMode first.`;
    if (why === 'private')
      return `\`${what}\` has Private storage, which the CPU cannot reach: ${message} fails or is nil. Choose Shared storage, or copy by a blit from a Shared buffer.`;
    return `\`${what}\` exchanges memory by file descriptor, which neither Metal nor MoltenVK offers: unified memory is shared as the buffer itself (VK_EXT_metal_objects, newBufferWithBytesNoCopy).`;
  },

  detect(file, report) {
    if (!mayUseMetal(file)) return;
    const { tokens } = file;
    for (const [i, token] of tokens.entries()) {
      if (!/^(synchronize(Resource|Texture)|didModifyRange)$/.test(token.text)) continue;
      const resource = tokens[i + 1]?.text === ':' ? ofMessage(tokens, i) : tokens[i - 1]?.text === '->' ? ofCall(tokens, i) : undefined;
      const shared = resource && !asksForMode(file, i) ? sharedCreation(file, aliasOf(file, resource, i)) : undefined;
      if (!resource || !shared) continue;
      const related: Related[] = [{ at: shared, message: 'Shared storage is chosen here' }];
      report({ at: token, data: { what: resource, message: token.text, why: 'shared' }, related });
    }
    for (const { at, name, by, chosen } of privateAccesses(file)) {
      const related: Related[] = [{ at: chosen, message: 'Private storage is chosen here' }];
      report({ at, data: { what: name, message: by, why: 'private' }, related });
    }
    const descriptor = file.language === 'objc' && usesUnifiedMemory(tokens) ? tokens.find((token) => descriptors.test(token.text)) : undefined;
    if (descriptor) report({ at: descriptor, data: { what: descriptor.text, message: '', why: 'descriptor' } });
  },

  fix({ at, data: { why } }, file) {
    // From before the bracket: the receiver of the message belongs to the statement.
    const bracket = why === 'shared' ? file.tokens.findLast(({ text, span }) => text === '[' && span.end <= spanOf(at).start) : undefined;
    const start = bracket && statementStart(file, bracket);
    if (start === undefined || start !== bracket?.span.start) return undefined;
    const edit = removeStatement(file, { start, end: start });
    return edit && { title: 'Drop the synchronisation', edits: [edit] };
  },
});

const descriptors = /^(vkGetMemoryFdKHR|VkImportMemoryFdInfoKHR|VkMemoryGetFdInfoKHR|VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT(_KHR)?)$/;

function usesUnifiedMemory(tokens: readonly Token[]): boolean {
  return tokens.some((token) => /^(hasUnifiedMemory|MTLResourceStorageModeShared|MTLStorageModeShared)$/.test(token.text));
}

function ofMessage(tokens: readonly Token[], i: number): string | undefined {
  return tokens[i]!.text === 'didModifyRange' ? receiverAt(tokens, i) : resourceAt(tokens, i + 2);
}

/** `x->didModifyRange(r)`, `blit->synchronizeResource(x)` of metal-cpp. */
function ofCall(tokens: readonly Token[], i: number): string | undefined {
  if (tokens[i]!.text === 'didModifyRange') return objectBefore(tokens, i - 2);
  return tokens[i + 1]?.text === '(' ? lastWord(withoutGet(argumentsAt(tokens, i + 1)[0]!)) : undefined;
}

/** `slots` of `slots[i]->`, `buffer` of `frame.buffer.get()->`; what a function returns has no name. */
function objectBefore(tokens: readonly Token[], end: number): string | undefined {
  const { text, kind } = tokens[end] ?? { text: '', kind: 'punctuation' };
  if (kind === 'word') return text;
  if (text === ')') return tokens[end - 1]?.text === '(' && tokens[end - 2]?.text === 'get' ? objectBefore(tokens, end - 4) : undefined;
  const open = text === ']' ? tokens.slice(0, end).findLastIndex((token) => token.text === '[') : -1;
  return open > 0 ? objectBefore(tokens, open - 1) : undefined;
}

/** `staging.get()` is the staging buffer. */
function withoutGet(tokens: readonly Token[]): readonly Token[] {
  return tokens.at(-3)?.text === 'get' && tokens.at(-1)?.text === ')' ? tokens.slice(0, -3) : tokens;
}

/** The last name of the argument of a message that ends with `]` or goes on with `slice:`. */
function resourceAt(tokens: readonly Token[], from: number): string | undefined {
  let depth = 0;
  for (let i = from; i < tokens.length; i++) {
    const { text } = tokens[i]!;
    if (/^[[(]$/.test(text)) depth++;
    const isNext = depth === 0 && text === 'slice' && tokens[i + 1]?.text === ':';
    if (isNext || (/^[\])]$/.test(text) && depth-- === 0)) return lastWord(tokens.slice(from, i));
  }
  return undefined;
}

/** The last name of what is sent the message whose selector starts at `index`: `_slots` of `[self->_slots[i] didModifyRange:r]`. */
function receiverAt(tokens: readonly Token[], index: number): string | undefined {
  let depth = 0;
  for (let i = index - 1; i >= 0; i--) {
    const { text } = tokens[i]!;
    if (/^[\])]$/.test(text)) depth++;
    if (/^[[(]$/.test(text) && depth-- === 0) return lastWord(tokens.slice(i + 1, index));
  }
  return undefined;
}

/** `_slots` for `buffer` after `id<MTLBuffer> buffer = _slots[i];`, else the name itself. */
function aliasOf(file: FileFacts, resource: string, index: number): string {
  const { tokens } = file;
  const from = bodyAt(file, index)?.from ?? index;
  const set = tokens.findLastIndex((token, i) => i >= from && i < index && token.text === resource && tokens[i + 1]?.text === '=');
  if (set < 0) return resource;
  const end = tokens.findIndex((token, i) => i > set && token.text === ';');
  const value = tokens.slice(set + 2, end);
  return value.some(({ text }) => /^(\(|\?|:)$/.test(text)) || value[0]?.text === '[' ? resource : (lastWord(value) ?? resource);
}

/** The body decides by storage mode or kind of memory. */
function asksForMode(file: FileFacts, index: number): boolean {
  const body = bodyAt(file, index);
  const before = body ? file.tokens.slice(body.from, index) : [];
  return before.some((token) => /storageMode|unified|managed|discrete|lowPower/i.test(token.text) && !/Shared$/.test(token.text));
}
