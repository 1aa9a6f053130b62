/**
 * # metal/wait-inside-encoder
 *
 * ## What it does
 * Reports a command buffer that waits for an event, signals one, begins another encoder or is committed while an encoder of it is still
 * open.
 *
 * ## Why is this bad
 * A command buffer has one open encoder at most, and events lie between encoders. Metal stops the program with an assertion where the
 * validation layer is on. Where it is off, the wait does not order the commands of the open encoder: shared textures are read before the
 * other API is done with them.
 *
 * ## Example
 * ```objective-cpp
 * #import <Metal/Metal.h>
 * void consume(id<MTLCommandBuffer> commands, id<MTLTexture> shared, id<MTLSharedEvent> event, uint64_t ready) {
 *     id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
 *     [commands encodeWaitForEvent:event value:ready];
 *     [encoder setTexture:shared atIndex:0];
 *     [encoder endEncoding];
 * }
 * ```
 *
 * ## Use instead
 * ```objective-cpp
 * #import <Metal/Metal.h>
 * void consume(id<MTLCommandBuffer> commands, id<MTLTexture> shared, id<MTLSharedEvent> event, uint64_t ready) {
 *     [commands encodeWaitForEvent:event value:ready];
 *     id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
 *     [encoder setTexture:shared atIndex:0];
 *     [encoder endEncoding];
 * }
 * ```
 *
 * ## What it cannot see
 * This is a heuristic over tokens: command buffer and encoder have to be plain names of one function. An encoder that is handed on, kept,
 * or ended under a condition silences it.
 */
import { closing } from '../../analyses/brackets';
import { type Body, bodiesOf, mayUseMetal } from '../../analyses/objc-tokens';
import type { Token } from '../../facts/index';
import { defineRule } from '../rule';

export const rule = defineRule<{ readonly call: string; readonly encoder: string }>({
  meta: {
    id: 'metal/wait-inside-encoder',
    summary: 'A command buffer waits, signals or is committed while an encoder of it is open.',
    severity: 'error',
    tier: 'A',
    precision: 'likely',
    fix: 'none',
    languages: ['objc', 'cpp'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ call, encoder }) {
    return `\`${call}\` comes while the encoder \`${encoder}\` of this command buffer is open: events lie between encoders, so this orders none of its commands and Metal may assert. Call it before the encoder begins, or behind endEncoding.`;
  },

  detect(file, report) {
    if (!mayUseMetal(file)) return;
    const { tokens } = file;
    for (const body of bodiesOf(file)) {
      for (const opened of encodersIn(tokens, body)) {
        const at = faultBehind(tokens, opened, body.to);
        if (!at) continue;
        const related = [{ at: tokens[opened.at]!, message: 'the encoder begins here' }];
        report({ at, data: { call: at.text, encoder: opened.encoder }, related });
      }
    }
  },
});

interface Opened {
  readonly encoder: string;
  readonly buffer: string;
  /** The token that makes it. */
  readonly at: number;
}

const makers = /^\w*[cC]ommandEncoder(WithDescriptor|WithDispatchType)?$/;

/** `encoder = [buffer computeCommandEncoder]`, `auto* encoder = buffer->computeCommandEncoder()`. */
function encodersIn(tokens: readonly Token[], body: Body): Opened[] {
  const found: Opened[] = [];
  for (let at = body.from; at < body.to; at++) {
    const buffer = makers.test(tokens[at]!.text) ? receiverOf(tokens, at) : undefined;
    if (!buffer) continue;
    const equals = tokens[buffer.from - 1]?.text === '=' ? buffer.from - 1 : -1;
    const encoder = tokens[equals - 1];
    if (equals > 0 && encoder?.kind === 'word') found.push({ encoder: encoder.text, buffer: buffer.name, at });
  }
  return found;
}

/** The plain name that gets a message: `[name selector`, `name->method`, `name.method`. */
function receiverOf(tokens: readonly Token[], at: number): { readonly name: string; readonly from: number } | undefined {
  const before = tokens[at - 1];
  if (before?.kind === 'word' && tokens[at - 2]?.text === '[') return { name: before.text, from: at - 2 };
  if (!/^(->|\.)$/.test(before?.text ?? '')) return undefined;
  const name = tokens[at - 2];
  return name?.kind === 'word' && !/^(->|\.|::)$/.test(tokens[at - 3]?.text ?? '') ? { name: name.text, from: at - 2 } : undefined;
}

const between = /^(encodeWait(ForEvent)?|encodeSignalEvent|commit)$/;

/** The first call on the command buffer that must not come while the encoder is open. */
function faultBehind(tokens: readonly Token[], { encoder, buffer, at }: Opened, to: number): Token | undefined {
  let depth = 0;
  for (let i = endOfStatement(tokens, at); i < to; i++) {
    const { text } = tokens[i]!;
    if (text === '^') i = Math.max(i, blockEnd(tokens, i));
    else if (text === '{') depth++;
    else if (text === '}' && --depth < 0) return undefined;
    else if (endsSight(tokens, i, encoder)) return undefined;
    else if ((between.test(text) || makers.test(text)) && receiverOf(tokens, i)?.name === buffer) return depth === 0 ? tokens[i] : undefined;
  }
  return undefined;
}

/** The encoder ends, goes elsewhere, or the way branches off. */
function endsSight(tokens: readonly Token[], at: number, encoder: string): boolean {
  const { text } = tokens[at]!;
  if (/^(return|goto|break|continue|else|case)$/.test(text)) return true;
  return text === encoder ? !isReceiver(tokens, at) : text === 'endEncoding' && receiverOf(tokens, at)?.name === encoder;
}

function endOfStatement(tokens: readonly Token[], at: number): number {
  const end = tokens.findIndex((token, i) => i > at && token.text === ';');
  return end < 0 ? tokens.length : end;
}

/** `[encoder doIt]`, `encoder->doIt()`. */
function isReceiver(tokens: readonly Token[], at: number): boolean {
  return (tokens[at - 1]?.text === '[' && tokens[at + 1]?.kind === 'word') || /^(->|\.)$/.test(tokens[at + 1]?.text ?? '');
}

/** The end of a block `^(id<MTLCommandBuffer> done) { ... }`, which runs later. */
function blockEnd(tokens: readonly Token[], at: number): number {
  const open = tokens.findIndex((token, i) => i > at && /^[{;]$/.test(token.text));
  return open > 0 && tokens[open]!.text === '{' ? closing(tokens, open) : at;
}
