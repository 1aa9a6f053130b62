import * as vscode from 'vscode';
import type { EngineService } from '../engine/service';
import { onSettingChanged, setting } from '../settings';

/** Tells each engine that starts, and the one that runs when the setting changes, how much memory kept frames may take. */
export function keepHistoryBudget(engine: EngineService): vscode.Disposable {
  const tell = () => {
    if (engine.state !== 'running') return;
    // An engine that goes away meanwhile hears it at its next start.
    engine.request('history/budget', { bytes: setting('seamscope.preview.historyBudget') * 1024 * 1024 }).catch(() => {});
  };
  return vscode.Disposable.from(engine.onDidChangeState(tell), onSettingChanged('seamscope.preview.historyBudget', tell));
}
