// Comments of a text with their places. Works on any text; strings are skipped.
import type { Language, Span } from '../facts/index';

export interface Comment {
  readonly span: Span;
  /** Without its marks, trimmed. */
  readonly body: string;
}

const cTokens =
  /R"([^()\\\s]{0,16})\([\s\S]*?(?:\)\1"|$)|(?<!\\)"(?:\\[\s\S]|[^"\\\n])*"|\b\d[\w.']*|(?<!\\)'(?:\\[\s\S]|[^'\\\n])*'|(\/\/(?:\\\r?\n|[^\n\r])*|\/\*[\s\S]*?(?:\*\/|$))/g;
const pythonTokens = /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|(?<!\\)"(?:\\[\s\S]|[^"\\\n])*"|(?<!\\)'(?:\\[\s\S]|[^'\\\n])*'|(#[^\n\r]*)/g;

export function* commentsOf(text: string, language: Language): Generator<Comment> {
  const isPython = language === 'python';
  for (const match of text.matchAll(isPython ? pythonTokens : cTokens)) {
    const comment = match[isPython ? 1 : 2];
    if (comment === undefined) continue;
    const body = comment.replace(/^(#+|\/\/[/!]?|\/\*[*!]?)/, '').replace(/\*\/$/, '');
    yield { span: { start: match.index, end: match.index + comment.length }, body: body.trim() };
  }
}
