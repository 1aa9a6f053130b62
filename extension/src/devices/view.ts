import * as vscode from 'vscode';
import { ContextKey, type DevicesState, View } from '../contributions/ids';
import type { DeviceNode, DeviceTree } from './node';
import { deviceTree } from './tree';
import type { DeviceWatcher } from './watcher';

/** The Devices tree. It reads devices while it is visible. */
export class DevicesView implements vscode.TreeDataProvider<DeviceNode>, vscode.Disposable {
  readonly #watcher: DeviceWatcher;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #disposables: vscode.Disposable[];
  #tree: DeviceTree = { state: 'loading', roots: [] };

  constructor(watcher: DeviceWatcher) {
    this.#watcher = watcher;
    const view = vscode.window.createTreeView(View.Devices, { treeDataProvider: this, showCollapseAll: true });
    this.#disposables = [
      view,
      this.#changed,
      watcher.onDidChange(() => this.#update()),
      view.onDidChangeVisibility(({ visible }) => watcher.watch(this, visible)),
    ];
    this.#setContext(this.#tree.state);
    if (view.visible) watcher.watch(this, true);
  }

  get tree(): DeviceTree {
    return this.#tree;
  }

  getTreeItem(node: DeviceNode): vscode.TreeItem {
    return treeItem(node);
  }

  getChildren(node?: DeviceNode): DeviceNode[] {
    return node ? node.children : this.#tree.roots;
  }

  dispose(): void {
    vscode.Disposable.from(...this.#disposables).dispose();
  }

  #update(): void {
    const { snapshot, failure } = this.#watcher;
    if (snapshot) this.#tree = deviceTree(snapshot);
    else this.#tree = { state: failure ? 'engine-failed' : 'loading', roots: [] };
    this.#setContext(this.#tree.state);
    this.#changed.fire();
  }

  #setContext(state: DevicesState): void {
    void vscode.commands.executeCommand('setContext', ContextKey.Devices, state);
  }
}

function treeItem(node: DeviceNode): vscode.TreeItem {
  const item = new vscode.TreeItem(node.label, collapsible(node));
  item.id = node.id;
  if (node.description) item.description = node.description;
  item.iconPath = new vscode.ThemeIcon(node.icon, node.iconColor ? new vscode.ThemeColor(node.iconColor) : undefined);
  if (node.tooltip) item.tooltip = new vscode.MarkdownString(node.tooltip, true);
  if (node.capabilities) item.contextValue = node.capabilities.join(' ');
  item.accessibilityInformation = { label: node.spoken ?? [node.label, node.description].filter(Boolean).join(', ') };
  return item;
}

function collapsible({ children, expanded }: DeviceNode): vscode.TreeItemCollapsibleState {
  if (children.length === 0) return vscode.TreeItemCollapsibleState.None;
  return expanded ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}
