import type { FileSystemWatcher } from 'vscode';
import { LanguageClient, State, TransportKind } from 'vscode-languageclient/node';
import { CONFIG_NAME, LINT_SERVER_FLAGS, type LintInitialization } from '../../../helper/protocol/lint';
import { Command } from '../contributions/ids';
import { lintLanguages } from '../contributions/languages';
import type { Log } from '../log';

// The client takes only requests of its own copy of the protocol, and this bundle holds that copy.
export { WorkDoneProgress, WorkspaceDiagnosticRequest } from 'vscode-languageclient/node';

/** Files on this machine's disk; in a remote window they may carry the remote's scheme. */
const schemes = ['file', 'vscode-remote'];

/**
 * The client of the lint server. It restarts a crashed server itself, five times within three minutes.
 * @param watchers of what lies around open documents: configuration, other sources
 */
export function createLintClient(serverModule: string, log: Log, watchers: FileSystemWatcher[]): LanguageClient {
  const run = { module: serverModule, transport: TransportKind.ipc, options: { execArgv: [...LINT_SERVER_FLAGS] } };
  const initializationOptions: LintInitialization = { openRuleCommand: Command.OpenRule };
  const client = new LanguageClient(
    'seamscope',
    'Seamscope Lint',
    { run, debug: run },
    {
      documentSelector: schemes.flatMap((scheme) => [
        ...lintLanguages.map((language) => ({ scheme, language })),
        { scheme, pattern: `**/${CONFIG_NAME}` },
      ]),
      initializationOptions,
      // Hovers link to the page of a rule.
      markdown: { isTrusted: { enabledCommands: [Command.OpenRule] } },
      synchronize: { fileEvents: watchers },
      outputChannel: log.channel,
      diagnosticPullOptions: { onChange: true, onTabs: true },
    },
  );
  client.onDidChangeState(({ newState }) => log.info(`Lint server: ${State[newState]}.`));
  return client;
}
