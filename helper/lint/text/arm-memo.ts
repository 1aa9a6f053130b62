// Preprocessor arms over the versions of a text. An edit that touches no directive, comment or literal changes the same place in each arm.
import { type Arm, blank, selectArms } from './arms';
import { editBetween, type TextEdit } from './edit';

/** Characters by which comments, literals, directives and continued lines begin or end. */
const structural = /[/*"'\\#]/;

export class ArmMemo {
  #text: string | undefined;
  #isC = false;
  #arms: readonly Arm[] = [];

  of(text: string, isC: boolean): readonly Arm[] {
    const before = this.#text;
    const same = before !== undefined && isC === this.#isC ? edited(before, text, this.#arms) : undefined;
    this.#arms = same ?? selectArms(text, isC);
    this.#text = text;
    this.#isC = isC;
    return this.#arms;
  }
}

/** The arms of the text after a plain edit; undefined for any other. */
function edited(before: string, after: string, arms: readonly Arm[]): readonly Arm[] | undefined {
  const edit = editBetween(before, after);
  const lines = linesAround(before, edit);
  if (!isPlain(before, after, edit, lines)) return undefined;
  const written = before.slice(lines.start, lines.end);
  const shown = arms.map(({ text }) => text.slice(lines.start, lines.end));
  // Lines that only a third arm shows decide whether there is one.
  const isShown = shown.slice(0, 2).includes(written);
  if (!isShown || !shown.every((each) => each === written || each.trim() === '')) return undefined;
  const inserted = after.slice(edit.start, edit.newEnd);
  return arms.map(({ text, label }, i) => {
    const own = shown[i] === written ? inserted : blank(inserted);
    return { label, text: text.slice(0, edit.start) + own + text.slice(edit.oldEnd) };
  });
}

interface Lines {
  readonly start: number;
  readonly end: number;
}

/** The lines that an edit touches, with the line end before them and without the one behind. */
function linesAround(text: string, { start, oldEnd }: TextEdit): Lines {
  const end = text.indexOf('\n', oldEnd);
  return { start: text.lastIndexOf('\n', start - 1) + 1, end: end < 0 ? text.length : end };
}

function isPlain(before: string, after: string, edit: TextEdit, lines: Lines): boolean {
  const { start, oldEnd, newEnd } = edit;
  const old = before.slice(lines.start, lines.end);
  // What is blank shows in every arm alike, and nobody can tell in which it stands.
  if (old.trim() === '' || /#|\\/.test(old) || before.slice(Math.max(0, lines.start - 3), lines.start).includes('\\')) return false;
  const removed = before.slice(Math.max(0, start - 1), oldEnd + 1);
  const written = after.slice(Math.max(0, start - 1), newEnd + 1);
  if (structural.test(removed) || structural.test(written)) return false;
  const breaks = /[\r\n]/.test(before.slice(start, oldEnd) + after.slice(start, newEnd));
  return !breaks || !structural.test(old);
}
