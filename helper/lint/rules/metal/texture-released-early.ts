/**
 * # metal/texture-released-early
 *
 * ## What it does
 * Reports a `CVMetalTextureRef` that is released in the function that made it, while its Metal texture is returned, stored, or used by a
 * command buffer that has not completed.
 *
 * ## Why is this bad
 * The `CVMetalTextureRef` keeps the pixel buffer from being recycled, not the `MTLTexture` that comes out of it. Once released, the camera or
 * decoder writes the next frame into the surface under the GPU's reads.
 *
 * ## Example
 * ```objective-cpp
 * #import <CoreVideo/CoreVideo.h>
 * #import <Metal/Metal.h>
 * id<MTLTexture> wrap(CVMetalTextureCacheRef cache, CVPixelBufferRef pixels) {
 *     CVMetalTextureRef holder = NULL;
 *     CVMetalTextureCacheCreateTextureFromImage(NULL, cache, pixels, NULL, MTLPixelFormatBGRA8Unorm, 64, 64, 0, &holder);
 *     id<MTLTexture> texture = CVMetalTextureGetTexture(holder);
 *     CFRelease(holder);
 *     return texture;
 * }
 * ```
 *
 * ## Use instead
 * ```objective-cpp
 * #import <CoreVideo/CoreVideo.h>
 * #import <Metal/Metal.h>
 * void draw(CVMetalTextureCacheRef cache, CVPixelBufferRef pixels, id<MTLCommandBuffer> commands) {
 *     CVMetalTextureRef holder = NULL;
 *     CVMetalTextureCacheCreateTextureFromImage(NULL, cache, pixels, NULL, MTLPixelFormatBGRA8Unorm, 64, 64, 0, &holder);
 *     encode(commands, CVMetalTextureGetTexture(holder));
 *     [commands addCompletedHandler:^(id<MTLCommandBuffer> done) {
 *         CFRelease(holder);  // the GPU has read it
 *     }];
 *     [commands commit];
 * }
 * ```
 *
 * ## What it cannot see
 * This is a heuristic over tokens inside one function: `waitUntilCompleted` or a completion handler before the release silence it, and so
 * does a retain of the holder or of the pixel buffer.
 */
import { argumentsAt, bodiesOf, callsOf, lastWord } from '../../analyses/objc-tokens';
import type { Token } from '../../facts/index';
import { defineRule } from '../rule';

export const rule = defineRule<{ holder: string; why: 'kept' | 'pending' }>({
  meta: {
    id: 'metal/texture-released-early',
    summary: 'A CVMetalTexture is released before the GPU has read its texture.',
    severity: 'warning',
    tier: 'A',
    precision: 'likely',
    fix: 'none',
    languages: ['objc'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ holder, why }) {
    const use = why === 'kept' ? 'its texture is kept for later' : 'the command buffer has not completed';
    return `\`${holder}\` is released here while ${use}: the pixel buffer may be recycled under the GPU's reads. Release it in the completion handler of the command buffer that reads it.`;
  },

  detect(file, report) {
    for (const body of bodiesOf(file)) {
      const tokens = file.tokens.slice(body.from, body.to);
      for (const { index, token, open } of callsOf(tokens, /^(CFRelease|CVBufferRelease)$/)) {
        const holder = lastWord(argumentsAt(tokens, open)[0]!);
        if (!holder || !isMadeHere(tokens.slice(0, index), holder) || isSafe(tokens, index)) continue;
        const why = useOf(tokens, index, holder);
        if (why) report({ at: token, data: { holder, why } });
      }
    }
  },
});

function isMadeHere(before: readonly Token[], holder: string): boolean {
  return [...callsOf(before, /^CVMetalTextureCacheCreateTextureFromImage$/)].some(
    ({ open }) => lastWord(argumentsAt(before, open).at(-1)!) === holder,
  );
}

/** Something waits before the release, it lies in a handler, on an error path, or the pixels are held in another way. */
function isSafe(tokens: readonly Token[], release: number): boolean {
  const before = tokens.slice(0, release);
  if (
    before.some((token) =>
      /^(waitUntilCompleted|waitUntilScheduled|addCompletedHandler|CFRetain|CVBufferRetain|CVPixelBufferRetain|dispatch_after)$/.test(token.text),
    )
  )
    return true;
  const open = before.filter((token) => token.text === '{').length - before.filter((token) => token.text === '}').length;
  return open > 0;
}

/** How the texture that came out of the holder lives on. */
function useOf(tokens: readonly Token[], release: number, holder: string): 'kept' | 'pending' | undefined {
  const got = [...callsOf(tokens, /^CVMetalTextureGetTexture$/)].find(({ open }) => lastWord(argumentsAt(tokens, open)[0]!) === holder);
  if (!got) return undefined;
  if (tokens.some((token) => token.text === 'commit')) return 'pending';
  const target = tokens[got.index - 1]?.text === '=' ? tokens[got.index - 2]!.text : undefined;
  if (!target) return undefined;
  const isField = /^(_\w+|m_\w+|\w+_)$/.test(target) || /^(\.|->)$/.test(tokens[got.index - 3]?.text ?? '');
  const isReturned = tokens.slice(release).some((token, i, all) => token.text === 'return' && all[i + 1]?.text === target);
  return isField || isReturned ? 'kept' : undefined;
}
