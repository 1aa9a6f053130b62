import * as vscode from 'vscode';
import type { SnapshotEnvironment } from '../../../helper/protocol/devices-panel';
import { engineEnvironment } from '../engine/environment';
import { setting } from '../settings';
import { environmentOf, type Overrides, overridesFor, parseVariables, programIn } from './environment';

/** Where the typed environment is kept, so that a reload of the window brings it back. */
const MEMORY_KEY = 'seamscope.devices.typedEnvironment';

interface Choice extends SnapshotEnvironment {
  overrides: Overrides;
}

interface Item extends vscode.QuickPickItem {
  take: () => Promise<Choice | undefined>;
}

const EDITOR: Choice = { kind: 'editor', label: 'the editor', overrides: {} };

/** Whose environment the Devices panel shows. */
export class EnvironmentChoice implements vscode.Disposable {
  readonly #memory: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  #choice: Choice;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
    this.#choice = remembered(memory.get<string>(MEMORY_KEY)) ?? EDITOR;
  }

  get environment(): SnapshotEnvironment {
    const { kind, label } = this.#choice;
    return { kind, label };
  }

  get overrides(): Overrides {
    return this.#choice.overrides;
  }

  useEditor(): void {
    this.#set(EDITOR);
  }

  /** Throws with what is wrong with the text. */
  useTyped(text: string): void {
    const overrides = parseVariables(text);
    this.#set(Object.keys(overrides).length === 0 ? EDITOR : typed(text, overrides));
  }

  /** Asks the user. Nothing changes when they cancel. */
  async choose(): Promise<void> {
    const item = await vscode.window.showQuickPick(this.#items(), {
      title: 'Devices as Which Environment Lists Them?',
      placeHolder: 'CUDA_VISIBLE_DEVICES, VK_DRIVER_FILES and the like differ between programs',
      matchOnDescription: true,
    });
    const choice = await item?.take();
    if (choice) this.#set(choice);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #set(choice: Choice): void {
    this.#choice = choice;
    void this.#memory.update(MEMORY_KEY, choice.kind === 'typed' ? choice.label : undefined);
    this.#changed.fire();
  }

  async #items(): Promise<Item[]> {
    const terminals = await Promise.all(vscode.window.terminals.map(terminalItems));
    return [
      { label: '$(vscode) The Editor', description: 'as the GPU engine and the preview run', take: async () => EDITOR },
      { label: '$(edit) Type Variables…', description: 'laid over the editor’s', take: () => this.#type() },
      ...terminals.flat(),
    ];
  }

  async #type(): Promise<Choice | undefined> {
    const text = await vscode.window.showInputBox({
      title: 'Variables for the Drivers',
      prompt: 'NAME=VALUE, several with blanks between; a name alone removes the variable.',
      placeHolder: 'CUDA_VISIBLE_DEVICES=1,0 CUDA_DEVICE_ORDER=PCI_BUS_ID',
      value: this.#choice.kind === 'typed' ? this.#choice.label : 'CUDA_VISIBLE_DEVICES=',
      valueSelection: this.#choice.kind === 'typed' ? undefined : [21, 21],
      validateInput: fault,
    });
    return text === undefined ? undefined : (remembered(text) ?? EDITOR);
  }
}

function typed(text: string, overrides: Overrides): Choice {
  return { kind: 'typed', label: text.trim(), overrides };
}

/** Undefined for a text that says nothing, or that no version of this understands. */
function remembered(text: string | undefined): Choice | undefined {
  try {
    const overrides = parseVariables(text ?? '');
    return Object.keys(overrides).length > 0 ? typed(text!, overrides) : undefined;
  } catch {
    return undefined;
  }
}

function fault(text: string): string | undefined {
  try {
    parseVariables(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The shell as it was started, and what runs in it now. */
async function terminalItems(terminal: vscode.Terminal): Promise<Item[]> {
  const shell = await terminal.processId;
  if (shell === undefined) return [];
  const program = await programIn(shell);
  const items: Item[] = [
    {
      label: `$(terminal) Terminal "${terminal.name}"`,
      description: 'as its shell was started, without what was exported since',
      take: () => ofProcess(shell, `the terminal "${terminal.name}"`),
    },
  ];
  if (program)
    items.push({
      label: `$(play) ${program.command}`,
      description: `runs in the terminal "${terminal.name}", process ${program.pid}`,
      take: () => ofProcess(program.pid, `${program.command} (process ${program.pid})`),
    });
  return items;
}

async function ofProcess(pid: number, label: string): Promise<Choice | undefined> {
  const environment = await environmentOf(pid);
  if (!environment) {
    void vscode.window.showWarningMessage(`The environment of ${label} cannot be read: the process has ended, or belongs to another user.`);
    return undefined;
  }
  const engine = engineEnvironment(process.env, setting('seamscope.engine.environment'));
  return { kind: 'terminal', label, overrides: overridesFor(environment, engine) };
}
