// Quick fixes, fix-all and suppressions.
import {
  type CodeAction,
  CodeActionKind,
  type CodeActionParams,
  type Range as LspRange,
  type TextDocumentEdit,
  type TextEdit,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { FIX_ALL_KIND, type LintInitialization } from '../../protocol/lint';
import { type Finding, languageForId, languageOf } from '../engine';
import type { Language } from '../facts/index';
import { compatibleEdits, isApplicable } from '../fix/apply';
import type { Edit } from '../rules/rule';
import { toDiagnostic, toRange } from './diagnostic';
import { ruleLink } from './rule-link';
import { type Insertion, suppressHere, suppressInFile } from './suppress-edit';

export interface ActionContext {
  readonly initialization: LintInitialization;
  /** The client can put the cursor into a place-holder. */
  readonly snippets: boolean;
}

/** True when some action may be offered; only then fixes are worked out. */
export function mayAct(findings: readonly Finding[], { range, context }: CodeActionParams): boolean {
  const asksForAll = context.only?.some((kind) => FIX_ALL_KIND.startsWith(kind)) ?? false;
  return findings.some((finding) => asksForAll || touches(toRange(finding), range));
}

/** Actions for the findings of a document's present version. */
export function codeActions(document: TextDocument, findings: readonly Finding[], params: CodeActionParams, context: ActionContext): CodeAction[] {
  const { only } = params.context;
  const wants = (kind: string) => !only || only.some((each) => kind === each || kind.startsWith(`${each}.`));
  const here = findings.filter((finding) => touches(toRange(finding), params.range));
  const quick = wants(CodeActionKind.QuickFix) ? here : [];
  return [
    ...quick.flatMap((finding) => fixAction(document, finding, context)),
    ...quick.flatMap((finding) => suppressActions(document, finding, context)),
    // Offered only when asked for by kind: as a menu entry it would stand beside every finding.
    ...(only && wants(FIX_ALL_KIND) ? fixAll(document, findings) : []),
  ];
}

function touches(a: LspRange, b: LspRange): boolean {
  return a.start.line <= b.end.line && b.start.line <= a.end.line;
}

function fixAction(document: TextDocument, finding: Finding, { initialization }: ActionContext): CodeAction[] {
  const { fix, ruleId } = finding;
  if (!fix) return [];
  const { title } = fix;
  const diagnostics = [toDiagnostic(finding, document.uri, ruleLink(initialization))];
  const common = { kind: CodeActionKind.QuickFix, diagnostics };
  if (isApplicable(fix, 'suggestion'))
    return [{ ...common, title, isPreferred: fix.safety === 'safe', edit: changes(document, textEdits(document, fix.edits)) }];
  const command = initialization.openRuleCommand;
  // What is only told has no edit: the page says how to do it by hand.
  return command ? [{ ...common, title: `By hand: ${title}`, command: { title, command, arguments: [ruleId] } }] : [];
}

function fixAll(document: TextDocument, findings: readonly Finding[]): CodeAction[] {
  const { edits, taken } = compatibleEdits(findings.flatMap(({ fix }) => (isApplicable(fix, 'safe') ? [fix] : [])));
  if (taken.length === 0) return [];
  return [{ title: 'Fix all safe Seamscope findings', kind: FIX_ALL_KIND, edit: changes(document, textEdits(document, edits)) }];
}

function suppressActions(document: TextDocument, finding: Finding, { initialization, snippets }: ActionContext): CodeAction[] {
  const { ruleId } = finding;
  if (ruleId.startsWith('suppression/')) return [];
  const language: Language = languageOf(document.uri) ?? languageForId(document.languageId) ?? 'cpp';
  const action = (title: string, insertion: Insertion | undefined): CodeAction[] =>
    insertion
      ? [
          {
            title,
            kind: CodeActionKind.QuickFix,
            diagnostics: [toDiagnostic(finding, document.uri, ruleLink(initialization))],
            edit: changes(document, [insertionEdit(insertion, snippets)]),
          },
        ]
      : [];
  return [
    ...action(`Suppress ${ruleId} here, with a reason`, suppressHere(document, finding, language)),
    ...action(`Suppress ${ruleId} in this file, with a reason`, suppressInFile(document, finding, language)),
  ];
}

type AnyEdit = TextDocumentEdit['edits'][number];

function insertionEdit({ line, text }: Insertion, snippets: boolean): AnyEdit {
  const position = { line, character: 0 };
  const range = { start: position, end: position };
  const placeholder = '<reason>';
  return snippets ? { range, snippet: { kind: 'snippet', value: text(`\${1:${placeholder}}`) } } : { range, newText: text(placeholder) };
}

function textEdits(document: TextDocument, edits: readonly Edit[]): TextEdit[] {
  return edits.map(({ span, text }) => ({ range: { start: document.positionAt(span.start), end: document.positionAt(span.end) }, newText: text }));
}

/** Bound to the version for which they were computed. */
function changes({ uri, version }: TextDocument, edits: AnyEdit[]) {
  return { documentChanges: [{ textDocument: { uri, version }, edits }] };
}
