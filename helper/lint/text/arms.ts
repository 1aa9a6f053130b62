// Layer 1: preprocessor arms. Analysing both halves of an #ifdef as one text gives export-export-import-import, so a text is
// split into at most two consistent variants of equal length: every macro has one value in an arm, and `_WIN32` differs between them.
import { evaluateCondition } from './conditions';
import { scanDirectives } from './directive-lines';

export interface Arm {
  readonly text: string;
  /** What the arm assumes, for findings that only it has; undefined for a file with one arm. */
  readonly label: string | undefined;
}

const windows =
  /^(_WIN32|_WIN64|WIN32|WIN64|__WIN32__|_WINDOWS|_MSC_VER|VK_USE_PLATFORM_WIN32_KHR|__MINGW32__|OS_WIN|_WINDOWS_|WINDOWS|PLATFORM_WINDOWS)$/;
const posix = /^(__linux__|__linux|linux|__unix__|__unix|LINUX|__gnu_linux__|OS_LINUX|PLATFORM_LINUX|VK_USE_PLATFORM_(XCB|XLIB|WAYLAND)_KHR)$/;
const otherPlatform = /^(__APPLE__|__ANDROID__|ANDROID|TARGET_OS_\w+|VK_USE_PLATFORM_(ANDROID|METAL|MACOS|FUCHSIA|GGP)\w*|__QNX__|__FreeBSD__)$/;
const cPlusPlus = /^__cplusplus\b/;

/** Truth of a macro that has the same value in both arms, undefined when the arms differ. */
function fixedValue(atom: string, isC: boolean): boolean | undefined {
  if (cPlusPlus.test(atom)) return !isC;
  if (otherPlatform.test(atom)) return false;
  return undefined;
}

/** The arms of a C-family text. `isC`: `__cplusplus` is off. */
export function selectArms(text: string, isC = false): Arm[] {
  if (!/^[ \t]*#[ \t]*(if|else|elif|endif)/m.test(text)) return [{ text, label: undefined }];
  const seen = new Set<string>();
  const first = blankInactive(text, armValue(false, isC, seen));
  if (seen.size === 0) return [{ text: first, label: undefined }];
  const second = blankInactive(text, armValue(true, isC, seen));
  const isPlatform = [...seen].some((atom) => windows.test(atom) || posix.test(atom));
  const named = [...seen].filter((atom) => !windows.test(atom) && !posix.test(atom)).slice(0, 3);
  const label = (other: boolean) => {
    const platform = isPlatform ? [other ? 'Windows' : 'not Windows'] : [];
    return [...platform, ...named.map((atom) => (other ? `without ${atom}` : `with ${atom}`))].join(', ');
  };
  return [
    { text: first, label: label(false) },
    { text: second, label: label(true) },
  ];
}

/** The label as a sentence at the end of a message. Conditions that are no plain macro say nothing to a reader. */
export function armNote(label: string): string {
  if (/^Windows\b/.test(label)) return 'Only where _WIN32 is defined.';
  if (/^not Windows\b/.test(label)) return 'Only where _WIN32 is not defined.';
  const [, how, macro] = /^(with|without) ([A-Za-z_]\w*)$/.exec(label) ?? [];
  return macro ? `Only where ${macro} is ${how === 'with' ? '' : 'not '}set.` : '';
}

function armValue(other: boolean, isC: boolean, seen: Set<string>) {
  return (atom: string): boolean => {
    const fixed = fixedValue(atom, isC);
    if (fixed !== undefined) return fixed;
    seen.add(atom);
    if (windows.test(atom)) return other;
    return !other;
  };
}

interface Frame {
  /** The text around this conditional is active. */
  readonly outer: boolean;
  taken: boolean;
  active: boolean;
}

/** Blanks conditional directives and what they exclude; offsets and line ends stay where they are. Survives missing and stray #endif. */
function blankInactive(text: string, assumed: (atom: string) => boolean): string {
  const frames: Frame[] = [];
  const defined = new Map<string, boolean>();
  const value = (atom: string) => defined.get(atom) ?? assumed(atom);
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
      if (active() && macro && frames.length === 0) defined.set(macro, line.name === 'define');
      continue;
    }
    parts.push(blank(text.slice(line.start, line.end)));
    at = line.end;
    step(frames, line.name, line.rest, value, line.guards);
  }
  copyUntil(text.length);
  return parts.join('');
}

function step(frames: Frame[], name: string, rest: string, value: (atom: string) => boolean, guards: boolean): void {
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

function conditionHolds(name: string, rest: string, value: (atom: string) => boolean, guards: boolean): boolean {
  const macro = /^[A-Za-z_]\w*/.exec(rest)?.[0] ?? '';
  if (name === 'ifdef' || name === 'elifdef') return value(macro);
  if (name === 'ifndef' || name === 'elifndef') return guards || !value(macro);
  return evaluateCondition(rest, value);
}

export function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}
