import * as vscode from 'vscode';
import type { SourceDescription } from '../../../helper/protocol/frames';
import { Command, Panel } from '../contributions/ids';
import type { EngineService } from '../engine/service';
import { registerPreviewCommands } from './commands';
import { keepHistoryBudget } from './history-budget';
import { PreviewPanel } from './panel';
import { registerWatchFiles } from './watch-files';

/** All open preview panels. */
export class Previews implements vscode.WebviewPanelSerializer {
  readonly #engine: EngineService;
  readonly #extensionUri: vscode.Uri;
  readonly #panels = new Set<PreviewPanel>();

  constructor(engine: EngineService, extensionUri: vscode.Uri) {
    this.#engine = engine;
    this.#extensionUri = extensionUri;
  }

  get panels(): PreviewPanel[] {
    return [...this.#panels];
  }

  open(source?: SourceDescription): PreviewPanel {
    return this.#adopt(vscode.window.createWebviewPanel(Panel.Preview, 'Preview', vscode.ViewColumn.Beside), source);
  }

  /** VS Code gives the document its stored state by itself. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.#adopt(panel);
  }

  #adopt(webviewPanel: vscode.WebviewPanel, source?: SourceDescription): PreviewPanel {
    const preview = new PreviewPanel(webviewPanel, this.#engine, this.#extensionUri, source);
    this.#panels.add(preview);
    webviewPanel.onDidDispose(() => this.#panels.delete(preview));
    return preview;
  }
}

export function registerPreviews(previews: Previews, engine: EngineService): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(Command.OpenPreview, () => {
      previews.open();
    }),
    registerPreviewCommands(previews),
    registerWatchFiles(previews),
    keepHistoryBudget(engine),
    vscode.window.registerWebviewPanelSerializer(Panel.Preview, previews),
  );
}
