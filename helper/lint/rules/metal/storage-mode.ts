/**
 * # metal/storage-mode
 *
 * ## What it does
 * Reports `synchronizeResource:` on a resource with Shared storage, and file descriptors for memory exchange in code for unified memory.
 *
 * ## Why is this bad
 * Shared storage is one piece of memory for CPU and GPU: there is nothing to synchronise, Metal's validation rejects the call, and without
 * validation it costs a blit. Only Managed storage has two copies. Metal and MoltenVK export Metal objects, never opaque file
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
 * nothing but Shared. Resources from other files and code that asks for the storage mode are left alone.
 */
import { bodyAt, lastWord } from '../../analyses/objc-tokens';
import type { FileFacts, Token } from '../../facts/index';
import { removeStatement, statementStart } from '../edits';
import { defineRule, type Related, spanOf } from '../rule';

interface Data {
  readonly what: string;
  readonly why: 'shared' | 'descriptor';
}

export const rule = defineRule<Data>({
  meta: {
    id: 'metal/storage-mode',
    summary: 'Shared storage is synchronised, or unified memory is exchanged by file descriptor.',
    severity: 'warning',
    tier: 'A',
    precision: 'likely',
    fix: 'suggestion',
    languages: ['objc'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ what, why }) {
    if (why === 'shared')
      return `\`${what}\` has Shared storage, one piece of memory for CPU and GPU: synchronizeResource: is for Managed storage only and is rejected or wasted here. Drop it, or ask for storageMode first.`;
    return `\`${what}\` exchanges memory by file descriptor, which neither Metal nor MoltenVK offers: unified memory is shared as the buffer itself (VK_EXT_metal_objects, newBufferWithBytesNoCopy).`;
  },

  detect(file, report) {
    const { tokens } = file;
    for (const [i, token] of tokens.entries()) {
      if (token.text !== 'synchronizeResource' || tokens[i + 1]?.text !== ':') continue;
      const resource = resourceAt(tokens, i + 2);
      const shared = resource && !asksForMode(file, i) ? sharedCreation(tokens, resource) : undefined;
      if (!resource || !shared) continue;
      const related: Related[] = [{ at: shared, message: 'Shared storage is chosen here' }];
      report({ at: token, data: { what: resource, why: 'shared' }, related });
    }
    const descriptor = usesUnifiedMemory(tokens) ? tokens.find((token) => descriptors.test(token.text)) : undefined;
    if (descriptor) report({ at: descriptor, data: { what: descriptor.text, why: 'descriptor' } });
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

/** The last name of the argument of a message that ends with `]`. */
function resourceAt(tokens: readonly Token[], from: number): string | undefined {
  let depth = 0;
  for (let i = from; i < tokens.length; i++) {
    const { text } = tokens[i]!;
    if (/^[[(]$/.test(text)) depth++;
    if (/^[\])]$/.test(text) && depth-- === 0) return lastWord(tokens.slice(from, i));
  }
  return undefined;
}

/** The body decides by storage mode or kind of memory. */
function asksForMode(file: FileFacts, index: number): boolean {
  const body = bodyAt(file, index);
  const before = body ? file.tokens.slice(body.from, index) : [];
  return before.some((token) => /storageMode|unified|managed|discrete|lowPower/i.test(token.text) && !/Shared$/.test(token.text));
}

const isShared = (token: Token) => /^MTL(Resource)?StorageModeShared$/.test(token.text);
const isManaged = (token: Token) => /^MTL(Resource)?StorageModeManaged$/.test(token.text);

/** The token that chooses Shared storage for the resource, by its name or because the file knows nothing else. */
function sharedCreation(tokens: readonly Token[], resource: string): Token | undefined {
  const creations = creationsIn(tokens);
  const own = creations.filter((each) => each.target === resource);
  if (own.length > 0) return own.every((each) => each.shared) ? own[0]!.shared : undefined;
  if (tokens.some(isManaged) || creations.length === 0 || !creations.every((each) => each.shared)) return undefined;
  return creations[0]!.shared;
}

interface Creation {
  readonly target: string | undefined;
  /** The token `...StorageModeShared` when the statement or its descriptor names it and nothing else. */
  readonly shared: Token | undefined;
}

function creationsIn(tokens: readonly Token[]): Creation[] {
  return tokens.flatMap((token, i): Creation[] => {
    if (!/^new(Buffer|Texture|Heap)With/.test(token.text)) return [];
    const start = tokens.slice(0, i).findLastIndex((each) => /^[;{}]$/.test(each.text)) + 1;
    const end = tokens.findIndex((each, at) => at > i && (each.text === ';' || each.text === '}'));
    const statement = tokens.slice(start, end < 0 ? tokens.length : end);
    const equals = statement.findIndex((each) => each.text === '=');
    const target = equals > 0 ? statement[equals - 1]!.text : undefined;
    const descriptor = /Descriptor$/.test(token.text) ? tokens[i + 2]?.text : undefined;
    const isChoice = statement.some((each) => each.text === '?');
    return [{ target, shared: isChoice ? undefined : (statement.find(isShared) ?? (descriptor ? modeOf(tokens, descriptor) : undefined)) }];
  });
}

/** `descriptor.storageMode = MTLStorageModeShared`, everywhere it is set. */
function modeOf(tokens: readonly Token[], descriptor: string): Token | undefined {
  const set = tokens.flatMap((token, i) =>
    token.text === 'storageMode' && tokens[i - 2]?.text === descriptor && tokens[i + 1]?.text === '=' ? [tokens[i + 2]!] : [],
  );
  return set.length > 0 && set.every(isShared) ? set[0] : undefined;
}
