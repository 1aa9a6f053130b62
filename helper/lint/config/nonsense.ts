// What has the right type in seamscope.json and still can mean nothing.

/** Half a sentence about a pattern of `ignore` that matches no path. */
export function uselessPattern(pattern: string): string | undefined {
  const bare = pattern.replace(/^!/, '');
  if (/^[\s./]*$/.test(bare)) return 'names no path';
  if (bare !== bare.trim()) return 'begins or ends with a blank';
  if (/^(?:[A-Za-z]:[\\/]|(?:\.\/)*\.\.\/)/.test(bare)) return 'leads out of the folder of this file, to which patterns are relative';
  if (/[\w*.]\\[\w*.]/.test(bare)) return 'has backslashes: folders are divided by "/"';
  return undefined;
}

/** `take`, `ns::take`, `.take`, `module.take`. */
export function isName(written: string): boolean {
  return /^\.?[\p{L}_$~][\p{L}\p{N}_$]*(?:(?:::|\.)[\p{L}_$~][\p{L}\p{N}_$]*)*$/u.test(written);
}
