import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** The only folder a panel may load from. */
export function webviewRoot(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
}

/** `bundle` names the script and the style sheet of one of the folders of webview/src. Nothing else runs, and nothing is loaded from elsewhere. */
export function panelHtml(webview: vscode.Webview, extensionUri: vscode.Uri, { bundle, title }: { bundle: string; title: string }): string {
  const uri = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(webviewRoot(extensionUri), file));
  const nonce = randomBytes(16).toString('base64url');
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    'img-src blob:',
    `script-src 'nonce-${nonce}'`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${uri(`${bundle}.css`)}">
</head>
<body>
<script nonce="${nonce}" src="${uri(`${bundle}.js`)}"></script>
</body>
</html>`;
}
