import * as vscode from 'vscode';
import { Command } from './contributions/ids';
import type { EngineService } from './engine/service';
import type { Lint } from './lint/lint';
import type { Log } from './log';

/** The commands that deal with the helper processes, and the one message when the engine stays down. */
export function registerHelperCommands(engine: EngineService, lint: Lint, log: Log): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(Command.RestartHelpers, () =>
      vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: 'Restarting Seamscope helpers' }, async () => {
        await Promise.all([engine.restart(), lint.restart()]);
      }),
    ),
    vscode.commands.registerCommand(Command.ShowLog, () => log.show()),
    engine.onDidChangeState((state) => {
      if (state === 'failed' && engine.failure) void reportFailure(engine.failure);
    }),
  );
}

async function reportFailure({ message, nextStep }: { message: string; nextStep: string }): Promise<void> {
  const [firstLine = message] = message.split('\n');
  const chosen = await vscode.window.showErrorMessage(`Seamscope: ${firstLine} ${nextStep}`, 'Restart', 'Show Log');
  if (chosen === 'Restart') await vscode.commands.executeCommand(Command.RestartHelpers);
  if (chosen === 'Show Log') await vscode.commands.executeCommand(Command.ShowLog);
}
