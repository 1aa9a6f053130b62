import * as vscode from 'vscode';
import type { SeamReport } from '../../../helper/protocol/seamtest';

/** The last report of this machine, kept beside the extension's other data. */
export class ReportStore {
  readonly #folder: vscode.Uri;

  constructor(folder: vscode.Uri) {
    this.#folder = folder;
  }

  /** Undefined when there is none, or none that this version can show. */
  async read(): Promise<SeamReport | undefined> {
    try {
      const report = JSON.parse(new TextDecoder().decode(await vscode.workspace.fs.readFile(this.#file))) as Partial<SeamReport>;
      return report.version === 1 && report.verdict && report.devices ? (report as SeamReport) : undefined;
    } catch {
      return undefined;
    }
  }

  async write(report: SeamReport): Promise<void> {
    await vscode.workspace.fs.createDirectory(this.#folder);
    await vscode.workspace.fs.writeFile(this.#file, new TextEncoder().encode(JSON.stringify(report)));
  }

  get #file(): vscode.Uri {
    return vscode.Uri.joinPath(this.#folder, 'seam-test.json');
  }
}
