import * as vscode from 'vscode';

const TAIL_LINES = 200;

/** The extension's output channel; it also remembers the last lines for the report. */
export class Log implements vscode.Disposable {
  readonly channel = vscode.window.createOutputChannel('Seamscope', { log: true });
  readonly #tail: string[] = [];

  info(text: string): void {
    this.channel.info(this.#keep('info', text));
  }

  warn(text: string): void {
    this.channel.warn(this.#keep('warning', text));
  }

  error(text: string): void {
    this.channel.error(this.#keep('error', text));
  }

  show(): void {
    this.channel.show(true);
  }

  tail(lines: number): string[] {
    return this.#tail.slice(-lines);
  }

  dispose(): void {
    this.channel.dispose();
  }

  #keep(level: string, text: string): string {
    const trimmed = text.trimEnd();
    this.#tail.push(`${new Date().toISOString()} [${level}] ${trimmed}`);
    if (this.#tail.length > TAIL_LINES) this.#tail.shift();
    return trimmed;
  }
}
