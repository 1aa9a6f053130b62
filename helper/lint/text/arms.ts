// Layer 1: preprocessor arms. Analysing both halves of an #ifdef as one text gives export-export-import-import, so a text is
// split into two consistent variants of equal length, or three: every macro has one value in an arm, and `_WIN32` differs between them.
import { evaluateCondition, type MacroValue } from './conditions';
import { scanDirectives } from './directive-lines';

export interface Arm {
  readonly text: string;
  /** What the arm assumes, for findings that only it has; undefined for a file with one arm. */
  readonly label: string | undefined;
}

// Macros of a platform by the words in their names: `_WIN32`, `OS_WINDOWS`, `PLATFORM==PLATFORM_WIN64`, `VK_USE_PLATFORM_WIN32_KHR`.
const windows = /(^|[_\W])(WIN(32|64|NT|DOWS)?|WINDOWS_?NT|MSC_VER|MSVC|MINGW(32|64)?|CYGWIN|UWP|WINAPI_FAMILY)($|[_\W])/i;
const posix = /(^|[_\W])(LINUX|UNIX|POSIX|XCB|XLIB|X11|WAYLAND)($|[_\W])/i;
const otherPlatform =
  /(^|[_\W])(APPLE|ANDROID|MACOSX?|OSX|DARWIN|IOS|TVOS|VISIONOS|QNX|QNXNTO|FREEBSD|OPENBSD|NETBSD|FUCHSIA|GGP|EMSCRIPTEN|HAIKU)($|[_\W])|^TARGET_OS_|^(OS|PLATFORM)_MAC$|^VK_USE_PLATFORM_METAL/i;
const cPlusPlus = /^__cplusplus\b/;

/** Truth of a macro that has the same value in both arms, undefined when the arms differ. */
function fixedValue(atom: string, isC: boolean): boolean | undefined {
  if (cPlusPlus.test(atom)) return !isC;
  if (otherPlatform.test(atom)) return atom.includes('!=');
  return undefined;
}

/** What an arm takes for true: Windows or not, and every macro that is about no platform. */
interface Assumed {
  readonly isWindows: boolean;
  readonly others: boolean;
}

const posixArm: Assumed = { isWindows: false, others: true };
const oppositeArm: Assumed = { isWindows: true, others: false };
const windowsArm: Assumed = { isWindows: true, others: true };

/**
 * The arms of a C-family text: two that differ in everything, and a third where only that one shows code, such as what is for Windows
 * inside of an optional feature. `isC`: `__cplusplus` is off.
 */
export function selectArms(text: string, isC = false): Arm[] {
  if (!/^[ \t]*#[ \t]*(if|else|elif|endif)/m.test(text)) return [{ text, label: undefined }];
  const seen = new Set<string>();
  const first = blankInactive(text, armValue(posixArm, isC, seen));
  if (seen.size === 0) return [{ text: first, label: undefined }];
  const second = blankInactive(text, armValue(oppositeArm, isC, seen));
  const isPlatform = [...seen].some((atom) => windows.test(atom) || posix.test(atom));
  const named = [...seen].filter((atom) => !windows.test(atom) && !posix.test(atom)).slice(0, 3);
  const label = ({ isWindows, others }: Assumed) => {
    const platform = isPlatform ? [isWindows ? 'Windows' : 'not Windows'] : [];
    return [...platform, ...named.map((atom) => (others ? `with ${atom}` : `without ${atom}`))].join(', ');
  };
  const arms: Arm[] = [
    { text: first, label: label(posixArm) },
    { text: second, label: label(oppositeArm) },
  ];
  const third = isPlatform && named.length > 0 ? blankInactive(text, armValue(windowsArm, isC, seen)) : second;
  return showsMore(third, [first, second]) ? [...arms, { text: third, label: label(windowsArm) }] : arms;
}

/** True when a line of code stands in the text and in none of the others. */
function showsMore(text: string, others: readonly string[]): boolean {
  for (const { index } of text.matchAll(/^[ \t]*(?![\s#]|\/\/|\*)/gm)) {
    const at = index + /^[ \t]*/.exec(text.slice(index, index + 400))![0].length;
    if (text[at]?.trim() && others.every((other) => !other[at]?.trim())) return true;
  }
  return false;
}

/** What the labels of arms share, as a sentence at the end of a message. Conditions that are no plain macro say nothing to a reader. */
export function armNote(labels: readonly string[]): string {
  const [first, ...rest] = labels.map((label) => label.split(', '));
  const shared = (first ?? []).filter((part) => rest.every((parts) => parts.includes(part)));
  if (shared[0] === 'Windows') return 'Only where _WIN32 is defined.';
  if (shared[0] === 'not Windows') return 'Only where _WIN32 is not defined.';
  const [, how, macro] = (shared.length === 1 && /^(with|without) ([A-Za-z_]\w*)$/.exec(shared[0]!)) || [];
  return macro ? `Only where ${macro} is ${how === 'with' ? '' : 'not '}set.` : '';
}

function armValue(assumed: Assumed, isC: boolean, seen: Set<string>): MacroValue {
  return (atom) => {
    const fixed = fixedValue(atom, isC);
    if (fixed !== undefined) return fixed;
    seen.add(atom);
    if (windows.test(atom)) return assumed.isWindows !== atom.includes('!=');
    return posix.test(atom) ? !assumed.isWindows : assumed.others;
  };
}

interface Frame {
  /** The text around this conditional is active. */
  readonly outer: boolean;
  taken: boolean;
  active: boolean;
}

/** Any other directive, such as an `#include`, decides nothing. */
const conditional = /^(?:if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)$/;

/** Blanks conditional directives and what they exclude; offsets and line ends stay where they are. Survives missing and stray #endif. */
function blankInactive(text: string, assumed: MacroValue): string {
  const frames: Frame[] = [];
  const defined = new Map<string, 'defined' | 'zero' | 'undefined'>();
  const value = (atom: string, asksDefined: boolean) => {
    const known = defined.get(atom);
    return known ? known === 'defined' || (known === 'zero' && asksDefined) : assumed(atom, asksDefined);
  };
  const active = () => frames.at(-1)?.active ?? true;
  const parts: string[] = [];
  let at = 0;
  const copyUntil = (end: number) => {
    const piece = text.slice(at, end);
    parts.push(active() ? piece : blank(piece));
    at = end;
  };
  for (const line of scanDirectives(text)) {
    copyUntil(line.start);
    if (line.name === 'define' || line.name === 'undef') {
      const macro = /^[A-Za-z_]\w*/.exec(line.rest)?.[0];
      if (active() && macro && frames.length === 0) defined.set(macro, line.name === 'undef' ? 'undefined' : isZero(line.rest) ? 'zero' : 'defined');
      continue;
    }
    parts.push(blank(text.slice(line.start, line.end)));
    at = line.end;
    if (conditional.test(line.name)) step(frames, line.name, line.rest, value, line.guards);
  }
  copyUntil(text.length);
  return parts.join('');
}

/** `#define NAME 0`. */
function isZero(rest: string): boolean {
  return /^\w+[ \t]+\(?0[uUlL]*\)?\s*(\/[/*].*)?$/.test(rest);
}

function step(frames: Frame[], name: string, rest: string, value: MacroValue, guards: boolean): void {
  const top = frames.at(-1);
  const holds = () => conditionHolds(name, rest, value, guards);
  if (name === 'if' || name === 'ifdef' || name === 'ifndef') {
    const outer = top?.active ?? true;
    const on = outer && holds();
    frames.push({ outer, taken: on, active: on });
  } else if (name === 'endif') {
    frames.pop();
  } else if (top) {
    const on = top.outer && !top.taken && (name === 'else' || holds());
    top.active = on;
    top.taken ||= on;
  }
}

function conditionHolds(name: string, rest: string, value: MacroValue, guards: boolean): boolean {
  const macro = /^[A-Za-z_]\w*/.exec(rest)?.[0] ?? '';
  if (name === 'ifdef' || name === 'elifdef') return value(macro, true);
  if (name === 'ifndef' || name === 'elifndef') return guards || !value(macro, true);
  return evaluateCondition(rest, value);
}

export function blank(text: string): string {
  return text.replace(/[^\r\n]+/g, (run) => ' '.repeat(run.length));
}
