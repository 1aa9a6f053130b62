/**
 * # metal/cache-per-frame
 *
 * ## What it does
 * Reports `CVMetalTextureCacheCreate` (or its OpenGL ES relative) in a function that also takes textures from the new cache, or whose name
 * says that it runs for every frame.
 *
 * ## Why is this bad
 * The cache exists to recycle textures. A new one for each frame allocates driver objects at frame rate, and the textures of the old
 * cache may go while the GPU still reads them.
 *
 * ## Example
 * ```objective-cpp
 * #import <CoreVideo/CoreVideo.h>
 * #import <Metal/Metal.h>
 * CVMetalTextureRef wrap(CVPixelBufferRef pixels, id<MTLDevice> device) {
 *     CVMetalTextureCacheRef cache = NULL;
 *     CVMetalTextureRef texture = NULL;
 *     CVMetalTextureCacheCreate(NULL, NULL, device, NULL, &cache);
 *     CVMetalTextureCacheCreateTextureFromImage(NULL, cache, pixels, NULL, MTLPixelFormatBGRA8Unorm, 64, 64, 0, &texture);
 *     CFRelease(cache);
 *     return texture;
 * }
 * ```
 *
 * ## Use instead
 * ```objective-cpp
 * #import <CoreVideo/CoreVideo.h>
 * #import <Metal/Metal.h>
 * CVMetalTextureRef wrap(CVPixelBufferRef pixels, CVMetalTextureCacheRef cache) {  // made once, with the device
 *     CVMetalTextureRef texture = NULL;
 *     CVMetalTextureCacheCreateTextureFromImage(NULL, cache, pixels, NULL, MTLPixelFormatBGRA8Unorm, 64, 64, 0, &texture);
 *     return texture;
 * }
 * ```
 *
 * ## What it cannot see
 * This is a heuristic over tokens: a per-frame function is known by its name (draw, render, process, captureOutput, ...). A creation
 * behind `dispatch_once`, a static, or a test of the cache variable happens once and is no finding.
 */
import { argumentsAt, type Body, bodyAt, callsOf, lastWord } from '../../analyses/objc-tokens';
import type { FileFacts, Token } from '../../facts/index';
import { defineRule } from '../rule';

export const rule = defineRule<{ create: string; body: string }>({
  meta: {
    id: 'metal/cache-per-frame',
    summary: 'A texture cache is created for every frame.',
    severity: 'warning',
    tier: 'A',
    precision: 'likely',
    fix: 'none',
    languages: ['objc'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ create, body }) {
    return `\`${create}\` makes a new texture cache each time \`${body}\` runs: nothing is recycled, and textures of the old cache may go while the GPU reads them. Create the cache once with the device and keep it.`;
  },

  detect(file, report) {
    for (const { token, index, open } of callsOf(file.tokens, /^CV(Metal|OpenGLES|OpenGL)TextureCacheCreate$/)) {
      const body = bodyAt(file, index);
      const cache = lastWord(argumentsAt(file.tokens, open).at(-1)!);
      if (!body || !cache || happensOnce(file.tokens, body, index, cache)) continue;
      if (usesItself(file, body, index, cache) || perFrame.test(body.name)) report({ at: token, data: { create: token.text, body: body.name } });
    }
  },
});

const perFrame =
  /^(draw|render|displayLayer|processFrame|processSample|captureOutput|copyPixelBuffer|onFrame|newFrame|handleFrame|update(Frame|Texture)|next(Frame|Drawable)|present|tick)|(Frame|PixelBuffer|SampleBuffer|ImageBuffer):?$/i;
const setUp = /^(init|setup|setUp|create|configure|load|prepare|viewDidLoad|awakeFromNib|main|shared|start|open|test)/;

/** Behind `dispatch_once`, into a static, or only while the cache is not there yet. */
function happensOnce(tokens: readonly Token[], body: Body, index: number, cache: string): boolean {
  const before = tokens.slice(body.from, index);
  if (before.some((token, i) => /^(dispatch_once|call_once)$/.test(token.text) || (token.text === 'static' && isLatch(before, i, cache))))
    return true;
  return before.some((token, i) => {
    if (!/^(if|guard|while)$/.test(token.text) || before[i + 1]?.text !== '(') return false;
    return argumentsAt(before, i + 1).some((part) => part.some((each) => each.text.replace(/^_/, '') === cache.replace(/^_/, '')));
  });
}

/** The static is the cache, or something that decides whether to create it; a table of formats is neither. */
function isLatch(tokens: readonly Token[], index: number, cache: string): boolean {
  const length = tokens.slice(index).findIndex(({ text }) => text === ';');
  const statement = length < 0 ? tokens.slice(index) : tokens.slice(index, index + length);
  if (statement.some(({ text }) => text === cache || /TextureCache/.test(text))) return true;
  const end = statement.findIndex(({ text }) => /^[=[{(]$/.test(text));
  const name = lastWord(end < 0 ? statement : statement.slice(0, end));
  return tokens.slice(index + statement.length).some(({ text }, i, all) => {
    if (!/^(if|guard|while)$/.test(text) || all[i + 1]?.text !== '(') return false;
    return argumentsAt(all, i + 1).some((part) => part.some((each) => each.text === name));
  });
}

/** The same body takes a texture from it and the cache does not outlive the body. */
function usesItself(file: FileFacts, body: Body, index: number, cache: string): boolean {
  const rest = file.tokens.slice(index, body.to);
  const isUsed = rest.some((token) => /^CV(Metal|OpenGLES|OpenGL)TextureCacheCreateTextureFromImage$/.test(token.text));
  if (!isUsed) return false;
  const isReleased = [...callsOf(rest, /^(CFRelease|CVBufferRelease)$/)].some(({ open }) => lastWord(argumentsAt(rest, open)[0]!) === cache);
  const isLocal = file.tokens
    .slice(body.from, index)
    .some((token, i, all) => token.text === cache && /TextureCacheRef$|TextureCache$/.test(all[i - 1]?.text ?? ''));
  const isStored = rest.some((token, i) => token.text === cache && rest[i - 1]?.text === '=' && rest[i + 1]?.text === ';');
  return !isStored && (isReleased || isLocal || !setUp.test(body.name));
}
