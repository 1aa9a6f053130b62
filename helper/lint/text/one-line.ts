// What is said of code that is written over several lines takes one line all the same.
import type { Language } from '../facts/index';

const inC = /(?<!:)\/\/[^\n]*(?=\n)|\/\*[\s\S]*?\*\//g;
const inPython = /#[^\n]*(?=\n)/g;

/** Without the comments in quoted code; each line break with the blanks around it is a blank. */
export function oneLine(said: string, language: Language | undefined): string {
  if (!said.includes('\n')) return said;
  return said.replace(language === 'python' ? inPython : inC, '').replace(/\s*\n\s*/g, ' ');
}
