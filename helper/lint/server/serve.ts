// The lint server: a thin shell over the core. Talks LSP over node IPC (or stdio).
import {
  CodeActionKind,
  type Connection,
  createConnection,
  type InitializeParams,
  ProposedFeatures,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { FIX_ALL_KIND, type LintInitialization } from '../../protocol/lint';
import { codeActions, mayAct } from './code-actions';
import { Workspace } from './config-watch';
import { DocumentLinter } from './document-linter';
import { loadGrammars } from './grammar-files';
import { hoverOf } from './hover';
import { servePull } from './pull';
import { servePush } from './push';
import { ruleLink } from './rule-link';
import { rulePageText } from './rule-pages';
import { WorkspaceEffects } from './workspace-effects';
import { followFolders } from './workspace-folders';
import { serveWorkspacePull } from './workspace-pull';

/** `dir` holds the bundles, their grammars and the pages of the rules. */
export function serve(dir: string): void {
  const connection = createConnection(ProposedFeatures.all);
  const documents = new TextDocuments(TextDocument);
  let refresh = () => {};
  const workspace: Workspace = new Workspace(
    connection,
    documents,
    (configuration) => {
      linter.invalidate();
      if (configuration) effects.forget();
      refresh();
    },
    (files) => effects.changedOnDisk(files),
  );
  const effects: WorkspaceEffects = new WorkspaceEffects(
    dir,
    (names) => {
      if (linter.changedElsewhere(names)) refresh();
    },
    (text) => connection.console.warn(text),
  );
  const linter = new DocumentLinter(
    loadGrammars(dir),
    workspace,
    effects,
    (text) => connection.console.error(text),
    () => refresh(),
  );

  connection.onInitialize((params) => {
    const { capabilities } = params;
    const initialization = (params.initializationOptions ?? {}) as LintInitialization;
    const link = ruleLink(initialization);
    const canPull = capabilities.textDocument?.diagnostic !== undefined;
    if (canPull) servePull(connection, documents, linter, link);
    serveWorkspacePull({ connection, documents, linter, effects, link });
    refresh = canPull ? refresher(connection, params) : servePush(connection, documents, linter, link);
    serveActions({
      connection,
      documents,
      linter,
      dir,
      initialization,
      snippets: capabilities.workspace?.workspaceEdit?.snippetEditSupport === true,
    });
    documents.onDidChangeContent(({ document }) => linter.changed(document));
    documents.onDidClose(({ document }) => linter.forget(document.uri));
    followFolders(connection, params, (folders) => effects.setFolders(folders));
    return {
      serverInfo: { name: 'seamscope-lint' },
      capabilities: {
        positionEncoding: 'utf-16',
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, FIX_ALL_KIND] },
        hoverProvider: true,
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
        ...(canPull ? { diagnosticProvider: { identifier: 'seamscope', interFileDependencies: true, workspaceDiagnostics: false } } : {}),
      },
    };
  });
  documents.listen(connection);
  connection.listen();
}

/** Asks the client to pull again, where it understands that. */
function refresher(connection: Connection, { capabilities }: InitializeParams): () => void {
  const supported = capabilities.workspace?.diagnostics?.refreshSupport === true;
  return () => {
    if (supported) connection.languages.diagnostics.refresh();
  };
}

interface Acting {
  readonly connection: Connection;
  readonly documents: TextDocuments<TextDocument>;
  readonly linter: DocumentLinter;
  readonly dir: string;
  readonly initialization: LintInitialization;
  readonly snippets: boolean;
}

function serveActions({ connection, documents, linter, dir, initialization, snippets }: Acting): void {
  connection.onCodeAction(async (params) => {
    const document = documents.get(params.textDocument.uri);
    if (!document || !mayAct(await linter.findingsOf(document), params)) return [];
    return codeActions(document, await linter.withFixes(document), params, { initialization, snippets });
  });
  connection.onHover(async ({ textDocument, position }) => {
    const document = documents.get(textDocument.uri);
    const page = (ruleId: string) => rulePageText(dir, ruleId);
    return document ? hoverOf(await linter.findingsOf(document), position, page, ruleLink(initialization)) : null;
  });
}
