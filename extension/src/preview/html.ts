import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** The only folder a preview may load from. */
export function webviewRoot(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
}

export function previewHtml(webview: vscode.Webview, extensionUri: vscode.Uri): string {
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
<title>Preview</title>
<link rel="stylesheet" href="${uri('preview.css')}">
</head>
<body>
<script nonce="${nonce}" src="${uri('preview.js')}"></script>
</body>
</html>`;
}
