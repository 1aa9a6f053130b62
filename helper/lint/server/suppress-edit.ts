// The edit that suppresses a finding: a comment with a place for the reason.
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Finding } from '../engine';
import type { Language } from '../facts/index';

export interface Insertion {
  readonly line: number;
  /** With `reason` where the reason goes. */
  text(reason: string): string;
}

/** A comment line above the finding; undefined inside a macro of several lines, where a comment would end it. */
export function suppressHere(document: TextDocument, { line, ruleId }: Finding, language: Language): Insertion | undefined {
  const above = line > 1 ? lineText(document, line - 2) : '';
  if (above.endsWith('\\')) return undefined;
  const indent = /^[ \t]*/.exec(lineText(document, line - 1))![0];
  return { line: line - 1, text: (reason) => `${indent}${mark(language)} seamscope-disable-next-line ${ruleId} -- ${reason}${eol(document)}` };
}

/** A comment at the top, below what must come first. */
export function suppressInFile(document: TextDocument, { ruleId }: Finding, language: Language): Insertion {
  let line = 0;
  while (line < 2 && /^#!|^#.*coding[:=]/.test(lineText(document, line))) line++;
  return { line, text: (reason) => `${mark(language)} seamscope-disable-file ${ruleId} -- ${reason}${eol(document)}` };
}

function mark(language: Language): string {
  return language === 'python' ? '#' : '//';
}

function lineText(document: TextDocument, line: number): string {
  return document.getText({ start: { line, character: 0 }, end: { line: line + 1, character: 0 } }).replace(/[\r\n]+$/, '');
}

function eol(document: TextDocument): string {
  return document.getText({ start: { line: 0, character: 0 }, end: { line: 1, character: 0 } }).endsWith('\r\n') ? '\r\n' : '\n';
}
