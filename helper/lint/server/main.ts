// The lint server: a thin shell over the core. Talks LSP over node IPC (or stdio).
import { createConnection, ProposedFeatures, TextDocumentSyncKind, TextDocuments } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { DocumentLinter } from './document-linter';
import { loadGrammars } from './grammar-files';
import { servePull } from './pull';
import { servePush } from './push';

const connection = createConnection(ProposedFeatures.all);
const documents = new TextDocuments(TextDocument);
const linter = new DocumentLinter(loadGrammars(__dirname), (text) => connection.console.error(text));

connection.onInitialize(({ capabilities }) => {
  const canPull = capabilities.textDocument?.diagnostic !== undefined;
  if (canPull) servePull(connection, documents, linter);
  else servePush(connection, documents, linter);
  documents.onDidClose(({ document }) => linter.forget(document.uri));
  return {
    serverInfo: { name: 'seamscope-lint' },
    capabilities: {
      positionEncoding: 'utf-16',
      textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
      ...(canPull ? { diagnosticProvider: { identifier: 'seamscope', interFileDependencies: true, workspaceDiagnostics: false } } : {}),
    },
  };
});

documents.listen(connection);
connection.listen();
