import * as vscode from 'vscode';
import type { DoctorReport } from '../../../helper/protocol/doctor';
import { Capability, Command, View } from '../contributions/ids';
import type { EngineService } from '../engine/service';
import type { Log } from '../log';
import type { DoctorNode } from './node';
import { doctorSummary, doctorTree } from './tree';

/** The Doctor tree. Its checks run when it is first seen and when asked. */
export class DoctorView implements vscode.TreeDataProvider<DoctorNode>, vscode.Disposable {
  readonly #engine: EngineService;
  readonly #log: Log;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<DoctorNode>;
  readonly #disposables: vscode.Disposable[];
  #roots: DoctorNode[] = [];
  #report: DoctorReport | undefined;
  #running: Promise<void> | undefined;

  /** `page` explains the checks. */
  constructor(engine: EngineService, log: Log, page: vscode.Uri) {
    this.#engine = engine;
    this.#log = log;
    this.#view = vscode.window.createTreeView(View.Doctor, { treeDataProvider: this, showCollapseAll: true });
    this.#disposables = [
      this.#view,
      this.#changed,
      this.#view.onDidChangeVisibility(({ visible }) => visible && !this.#report && this.run()),
      vscode.commands.registerCommand(Command.RunDoctor, async () => {
        await vscode.commands.executeCommand(`${View.Doctor}.focus`);
        await this.run();
      }),
      vscode.commands.registerCommand(Command.OpenDoctorPage, () => vscode.commands.executeCommand('markdown.showPreview', page)),
      vscode.commands.registerCommand(Command.CopyFix, (node?: DoctorNode) => copy(node?.command)),
      vscode.commands.registerCommand(Command.TypeFix, (node?: DoctorNode) => type(node?.command)),
    ];
    if (this.#view.visible) void this.run();
  }

  get roots(): DoctorNode[] {
    return this.#roots;
  }

  /** Two askers share one run. Never rejects: what failed is a row. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  getTreeItem(node: DoctorNode): vscode.TreeItem {
    return treeItem(node);
  }

  getChildren(node?: DoctorNode): DoctorNode[] {
    return node ? node.children : this.#roots;
  }

  dispose(): void {
    vscode.Disposable.from(...this.#disposables).dispose();
  }

  async #run(): Promise<void> {
    await vscode.window.withProgress({ location: { viewId: View.Doctor } }, async () => {
      try {
        this.#report = await this.#engine.request('doctor', {});
        this.#roots = doctorTree(this.#report);
        this.#view.description = doctorSummary(this.#report);
      } catch (error) {
        const { message, nextStep = '' } = error as { message: string; nextStep?: string };
        this.#log.error(`Doctor: ${message}`);
        this.#roots = [{ id: 'failed', label: message, description: nextStep, icon: 'error', spoken: `${message} ${nextStep}`, children: [] }];
        this.#view.description = '';
      }
    });
    this.#changed.fire();
  }
}

function treeItem(node: DoctorNode): vscode.TreeItem {
  const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(node.label, node.children.length === 0 ? None : node.expanded ? Expanded : Collapsed);
  item.id = node.id;
  if (node.description) item.description = node.description;
  item.iconPath = new vscode.ThemeIcon(node.icon, node.iconColor ? new vscode.ThemeColor(node.iconColor) : undefined);
  if (node.tooltip) item.tooltip = new vscode.MarkdownString(node.tooltip, true);
  const capabilities = [...(node.isCheck ? [Capability.Check] : []), ...(node.command ? [Capability.Fix] : [])];
  if (capabilities.length > 0) item.contextValue = capabilities.join(' ');
  item.accessibilityInformation = { label: node.spoken };
  return item;
}

async function copy(command: string | undefined): Promise<void> {
  if (!command) return;
  await vscode.env.clipboard.writeText(command);
  vscode.window.setStatusBarMessage('$(check) Copied the command', 3000);
}

/** Typed, not run: the user reads it and presses Enter. */
function type(command: string | undefined): void {
  if (!command) return;
  const terminal = vscode.window.activeTerminal ?? vscode.window.createTerminal();
  terminal.show();
  terminal.sendText(command, false);
}
