// esbuild plugin for CommonJS output, which esbuild itself does not split: what the code imports lazily becomes a file of its own,
// so that it costs nothing before it is needed.
import path from 'node:path';

/**
 * @param chunks collects the files to bundle next: name of the chunk -> source file
 */
export function lazyChunks(chunks) {
  return {
    name: 'lazy-chunks',
    setup(build) {
      build.onResolve({ filter: /^\./ }, async ({ kind, path: request, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const { path: file, errors } = await build.resolve(request, { kind: 'import-statement', resolveDir });
        if (errors.length > 0) return { errors };
        const name = chunkName(file, build.initialOptions.absWorkingDir);
        chunks[name] = file;
        return { path: `./${name}.js`, external: true };
      });
    },
  };
}

/** "extension/src/lint/client.ts" -> "lazy-extension-lint-client" */
function chunkName(file, root) {
  const parts = path.relative(root, file).replace(/\.ts$/, '').split(path.sep);
  return ['lazy', ...parts.filter((part) => part !== 'src')].join('-');
}
