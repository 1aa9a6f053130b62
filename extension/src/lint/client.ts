import { LanguageClient, State, TransportKind } from 'vscode-languageclient/node';
import { lintLanguages } from '../contributions/languages';
import type { Log } from '../log';

/** Files on this machine's disk; in a remote window they may carry the remote's scheme. */
const schemes = ['file', 'vscode-remote'];

/** The client of the lint server. It restarts a crashed server itself, five times within three minutes. */
export function createLintClient(serverModule: string, log: Log): LanguageClient {
  const run = { module: serverModule, transport: TransportKind.ipc };
  const client = new LanguageClient(
    'seamscope',
    'Seamscope Lint',
    { run, debug: run },
    {
      documentSelector: schemes.flatMap((scheme) => lintLanguages.map((language) => ({ scheme, language }))),
      outputChannel: log.channel,
      diagnosticPullOptions: { onChange: true, onTabs: true },
    },
  );
  client.onDidChangeState(({ newState }) => log.info(`Lint server: ${State[newState]}.`));
  return client;
}
