import { builtinModules } from 'node:module';
import { describe, expect, it } from 'vitest';
import { type Import, importsOf, under } from './sources';

const typescript = (...folders: string[]) => under(...folders).filter((file) => /\.(ts|mts|tsx)$/.test(file));
const isNode = (target: string) => target.startsWith('node:') || builtinModules.includes(target);

/** "file -> target" of every import of `files` that `isForbidden`. */
function violations(files: string[], isForbidden: (imported: Import, file: string) => boolean): string[] {
  expect(files.length).toBeGreaterThan(0);
  return files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => isForbidden(imported, file))
      .map(({ target }) => `${file} -> ${target}`),
  );
}

describe('who imports whom', () => {
  it('only the extension imports vscode', () => {
    const others = [...typescript('helper', 'webview'), ...typescript('test/unit', 'test/bench')];
    expect(violations(others, ({ target, typeOnly }) => target === 'vscode' && !typeOnly)).toEqual([]);
  });

  it('the protocol imports nothing from outside but types', () => {
    const isOutside = ({ target, typeOnly }: Import) => !target.startsWith('helper/protocol/') && !typeOnly;
    expect(violations(typescript('helper/protocol'), isOutside)).toEqual([]);
  });

  it('the webview reaches only the protocol and itself', () => {
    const isForeign = ({ target }: Import) => isNode(target) || /^(extension|helper\/(?!protocol\/)|test|scripts)/.test(target);
    expect(violations(typescript('webview'), isForeign)).toEqual([]);
  });

  it('the extension meets webview and helpers only in the protocol, the engine client and the door of the seam test', () => {
    expect(
      violations(typescript('extension'), ({ target }) => /^(webview|helper\/(?!protocol\/|engine\/(client|seamtest-api)$))/.test(target)),
    ).toEqual([]);
  });

  it('the lint core does no IO and knows neither editor nor addon', () => {
    const core = typescript('helper/lint').filter((file) => !file.startsWith('helper/lint/server/'));
    const isForbidden = ({ target, typeOnly }: Import) =>
      !typeOnly &&
      (isNode(target) ||
        target === 'vscode' ||
        target.startsWith('vscode-languageserver') ||
        target.startsWith('helper/engine') ||
        target.endsWith('.node'));
    expect(violations(core, isForbidden)).toEqual([]);
  });

  it('lint rules see facts, never syntax nodes', () => {
    const isSyntax = ({ target }: Import) => target.startsWith('web-tree-sitter') || /^helper\/lint\/(syntax|lower)\b/.test(target);
    expect(violations(typescript('helper/lint/rules'), isSyntax)).toEqual([]);
  });

  it('the engine knows neither editor nor lint', () => {
    expect(violations(typescript('helper/engine'), ({ target }) => target === 'vscode' || target.startsWith('helper/lint'))).toEqual([]);
  });
});
